#include "core/project/source_scan.h"

#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/project/conditional_lines.h"

namespace kernelscape::project {
namespace {

TriState unknown_macro(std::string_view) { return TriState::Perhaps; }

/** Returns the name between the quotes or angle brackets of an #include; empty for a macro. */
std::string_view included_name(std::string_view text) {
  if (!text.starts_with('"') && !text.starts_with('<')) return {};
  const std::size_t end = text.find(text.front() == '<' ? '>' : '"', 1);
  return end == std::string_view::npos ? std::string_view() : text.substr(1, end - 1);
}

/** The text of all lines that may be compiled, and the macros that they define. */
struct CompiledText {
  std::string text;
  std::set<std::string, std::less<>> macros;
};

CompiledText compiled_text(std::string_view source) {
  CompiledText compiled;
  const SourceLines scanned(source);
  ConditionalLines conditions;
  for (std::size_t index = 0; index < scanned.lines().size(); ++index) {
    const SourceLine& line = scanned.lines()[index];
    const bool conditional = conditions.take(scanned.lines(), index, unknown_macro);
    if (conditions.compiled() == TriState::No && !conditional) continue;
    if (line.directive == "define") {
      const std::vector<SourceWord> words = text_of_words(line.text);
      if (!words.empty()) compiled.macros.emplace(words.front().text);
    }
    // A directive within a list makes the list uncertain.
    compiled.text += line.directive.empty() ? std::string(line.text) + "\n" : "#\n";
  }
  return compiled;
}

/** Returns the position of the bracket that closes the one here; npos if there is none. */
std::size_t closing_bracket(std::string_view text, std::size_t opening) {
  int depth = 0;
  for (std::size_t at = opening; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

/**
 * Returns the parameter lists of all definitions of a function; if the name occurs very often, only the first
 * occurrences are searched.
 */
std::vector<std::string_view> parameter_lists(std::string_view text, std::string_view kernel) {
  std::vector<std::string_view> lists;
  int places_left = 200;
  for (std::size_t at = text.find(kernel); at != std::string_view::npos && places_left > 0;
       at = text.find(kernel, at + 1), --places_left) {
    const std::size_t end = at + kernel.size();
    if ((at > 0 && is_word_letter(text[at - 1])) || (end < text.size() && is_word_letter(text[end])))
      continue;
    const std::size_t opening = text.find_first_not_of(" \t\r\n", end);
    if (opening == std::string_view::npos || text[opening] != '(') continue;
    const std::size_t closing = closing_bracket(text, opening);
    if (closing == std::string_view::npos) continue;
    const std::size_t body = text.find_first_not_of(" \t\r\n#", closing + 1);
    if (body == std::string_view::npos || text[body] != '{') continue;
    lists.push_back(text.substr(opening + 1, closing - opening - 1));
  }
  return lists;
}

/** A text without the pieces that begin with `opening`; `end_of` gives the end of one, npos: it has none. */
std::string without_pieces(std::string_view text, std::string_view opening, const auto& end_of) {
  std::string kept;
  std::size_t from = 0;
  for (std::size_t start = text.find(opening); start != std::string_view::npos;
       start = text.find(opening, from)) {
    const std::size_t end = end_of(text, start);
    if (end == std::string_view::npos) break;
    kept += text.substr(from, start - from);
    from = end;
  }
  kept += text.substr(from);
  return kept;
}

std::size_t end_of_brackets(std::string_view text, std::size_t start) {
  const std::size_t closing = text.find("]]", start);
  return closing == std::string_view::npos ? closing : closing + 2;
}

std::size_t end_of_call(std::string_view text, std::size_t start) {
  const std::size_t opening = text.find('(', start);
  if (opening == std::string_view::npos) return opening;
  const std::size_t closing = closing_bracket(text, opening);
  return closing == std::string_view::npos ? closing : closing + 1;
}

/** Attributes do not belong to a declaration's name: [[maybe_unused]], __attribute__((unused)). */
std::string without_attributes(std::string_view list) {
  return without_pieces(without_pieces(list, "[[", end_of_brackets), "__attribute", end_of_call);
}

/**
 * Returns the last words of the parts of a list; nullopt if one of its words is a macro, or a part is
 * unusual.
 */
std::optional<std::vector<std::string>> names_in_list(std::string_view list, const auto& macros) {
  std::vector<std::string> names;
  std::vector<std::string> parts{{}};
  int depth = 0;
  for (const char letter : list) {
    if (std::string_view("(<[").contains(letter)) ++depth;
    if (std::string_view(")>]").contains(letter)) --depth;
    if (letter == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += letter;
  }
  for (const std::string& part : parts) {
    const std::string_view declared = std::string_view(part).substr(0, part.find_first_of("[="));
    const std::vector<SourceWord> words = text_of_words(declared);
    if (parts.size() == 1 && (words.empty() || (words.size() == 1 && words.front().text == "void"))) break;
    // A parameter without a name, a pointer to a function, or a macro that stands for several parameters.
    if (words.size() < 2 || declared.contains('(') || declared.contains("...")) return std::nullopt;
    for (const SourceWord& word : words) {
      if (macros.contains(word.text)) return std::nullopt;
    }
    names.emplace_back(words.back().text);
  }
  return names;
}

}  // namespace

std::vector<IncludeLine> includes_of(std::string_view text) {
  std::vector<IncludeLine> includes;
  const SourceLines scanned(text);
  ConditionalLines conditions;
  for (std::size_t index = 0; index < scanned.lines().size(); ++index) {
    const SourceLine& line = scanned.lines()[index];
    if (conditions.take(scanned.lines(), index, unknown_macro) || conditions.compiled() == TriState::No)
      continue;
    if (line.directive != "include" && line.directive != "import" && line.directive != "include_next")
      continue;
    const std::string_view name = included_name(line.text);
    if (name.empty()) continue;
    const auto place = static_cast<std::size_t>(name.data() - scanned.text().data());
    const std::size_t start = scanned.source_place(place);
    // A name that is continued in the next line has no single position.
    if (text.substr(start, name.size()) != name) continue;
    includes.push_back({.name = std::string(name),
                        .line = line.number,
                        .start = start,
                        .angled = line.text.starts_with('<'),
                        .certain = conditions.compiled() == TriState::Yes});
  }
  return includes;
}

std::optional<std::vector<std::string>> parameters_of_kernel(std::string_view source,
                                                             std::string_view kernel) {
  const CompiledText compiled = compiled_text(source);
  const std::vector<std::string_view> lists = parameter_lists(compiled.text, kernel);
  if (lists.size() != 1 || lists.front().contains('#') || compiled.macros.contains(kernel))
    return std::nullopt;
  return names_in_list(without_attributes(lists.front()), compiled.macros);
}

}  // namespace kernelscape::project
