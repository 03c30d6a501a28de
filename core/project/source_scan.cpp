#include "core/project/source_scan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/base/text.h"
#include "core/project/in_list.h"

namespace kernelscape {
namespace {

bool is_word_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool begins_word(char letter) {
  return is_word_letter(letter) && std::isdigit(static_cast<unsigned char>(letter)) == 0;
}

/** The end of a text or letter that begins here; a line end closes one that is not closed. */
std::size_t end_of_literal(std::string_view text, std::size_t start) {
  for (std::size_t at = start + 1; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == text[start])
      return at + 1;
    else if (text[at] == '\n')
      return at;
  }
  return text.size();
}

void blank_out(std::string& text, std::size_t start, std::size_t end) {
  for (std::size_t at = start; at < std::min(end, text.size()); ++at) {
    if (text[at] != '\n') text[at] = ' ';
  }
}

/** Comments and joined line ends as blanks, so that every letter stays where it is. */
std::string without_comments(std::string_view source) {
  std::string text(source);
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (rest.starts_with("\\\n") || rest.starts_with("\\\r\n")) {
      const std::size_t end = at + (rest[1] == '\n' ? 2 : 3);
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(at),
                text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
      at = end;
    } else if (rest.starts_with("//")) {
      std::size_t end = at;
      while (end < text.size() && (text[end] != '\n' || text[end - 1] == '\\')) ++end;
      blank_out(text, at, end);
      at = end;
    } else if (rest.starts_with("/*")) {
      const std::size_t closing = text.find("*/", at + 2);
      const std::size_t end = closing == std::string::npos ? text.size() : closing + 2;
      blank_out(text, at, end);
      at = end;
    } else if (rest.front() == '"' || rest.front() == '\'') {
      at = end_of_literal(text, at);
    } else {
      ++at;
    }
  }
  return text;
}

struct SourceWord {
  std::string_view text;
  bool behind_word = false;  ///< only blanks between it and a word before, or * and & behind a type
};

/** Behind which * and & declare, where behind others they compute. */
bool names_type(std::string_view word) {
  static constexpr std::array<std::string_view, 16> types{
      "float", "double", "int",  "char",  "long",     "short", "unsigned",     "half",
      "void",  "bool",   "size", "const", "restrict", "uint",  "__restrict__", "auto"};
  const auto last = word.find_last_not_of("0123456789");
  return word.ends_with("_t") || in_list(types, word.substr(0, last + 1));
}

/** Words in their order; texts in quotes are left out. */
std::vector<SourceWord> words_of(std::string_view text) {
  std::vector<SourceWord> words;
  bool behind_word = false;
  for (std::size_t at = 0; at < text.size();) {
    const char letter = text[at];
    std::size_t end = at + 1;
    if (letter == '"' || letter == '\'') {
      end = end_of_literal(text, at);
      behind_word = false;
    } else if (is_word_letter(letter)) {
      while (end < text.size() && is_word_letter(text[end])) ++end;
      if (begins_word(letter)) words.push_back({text.substr(at, end - at), behind_word});
      behind_word = begins_word(letter);
    } else if (letter == '*' || letter == '&') {
      behind_word = behind_word && names_type(words.back().text);
    } else if (!std::string_view(" \t\r").contains(letter)) {
      behind_word = false;
    }
    at = end;
  }
  return words;
}

/** The name of a directive and what follows it; empty: the line is none. */
std::pair<std::string_view, std::string_view> directive_of(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with("%:"))
    line.remove_prefix(2);
  else if (line.starts_with('#'))
    line.remove_prefix(1);
  else
    return {};
  line = trimmed(line);
  const auto end = std::ranges::find_if_not(line, is_word_letter);
  const auto length = static_cast<std::size_t>(end - line.begin());
  return {line.substr(0, length), trimmed(line.substr(length))};
}

class SourceWalk {
 public:
  explicit SourceWalk(std::string_view text) : text_(text) {}

  SourceWords take() {
    std::size_t number = 1;
    for (std::size_t start = 0; start < text_.size(); ++number) {
      const std::size_t end = std::min(text_.find('\n', start), text_.size());
      line(text_.substr(start, end - start), number);
      start = end + 1;
    }
    return std::move(words_);
  }

 private:
  void line(std::string_view text, std::size_t number) {
    const auto [directive, rest] = directive_of(text);
    if (directive.empty()) return code(text);
    if (directive == "include" || directive == "import" || directive == "include_next")
      return include(rest, number);
    const std::vector<SourceWord> words = words_of(rest);
    const bool asks =
        directive == "if" || directive == "elif" || directive == "ifdef" || directive == "ifndef";
    for (std::size_t index = 0; index < words.size(); ++index) {
      std::string word(words[index].text);
      if (directive == "define" && index == 0) {
        words_.defined.insert(std::move(word));
        continue;
      }
      if (asks && word != "defined") words_.asked.insert(word);
      words_.mentioned.insert(std::move(word));
    }
  }

  void code(std::string_view text) {
    for (const SourceWord& word : words_of(text)) {
      if (word.behind_word) words_.declared.insert(std::string(word.text));
      words_.mentioned.insert(std::string(word.text));
    }
  }

  void include(std::string_view rest, std::size_t number) {
    if (!rest.starts_with('"')) return;
    const std::size_t end = rest.find('"', 1);
    if (end == std::string_view::npos) return;
    const std::string_view name = rest.substr(1, end - 1);
    words_.includes.push_back(
        {std::string(name), number, static_cast<std::size_t>(name.data() - text_.data())});
  }

  std::string_view text_;
  SourceWords words_;
};

/** Where the bracket that opens here closes; npos: nowhere. */
std::size_t closing_bracket(std::string_view text, std::size_t opening) {
  int depth = 0;
  for (std::size_t at = opening; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

std::vector<std::string> names_in_list(std::string_view list) {
  std::vector<std::string> names;
  int depth = 0;
  std::size_t start = 0;
  const auto take = [&](std::size_t end) {
    const std::string_view one = list.substr(start, end - start);
    const std::vector<SourceWord> words = words_of(one.substr(0, one.find('[')));
    if (!words.empty() && !(words.size() == 1 && words.front().text == "void"))
      names.emplace_back(words.back().text);
    start = end + 1;
  };
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (std::string_view("(<[").contains(list[at])) ++depth;
    if (std::string_view(")>]").contains(list[at])) --depth;
    if (list[at] == ',' && depth == 0) take(at);
  }
  take(list.size());
  return names;
}

}  // namespace

SourceWords scan_source(std::string_view text) { return SourceWalk(without_comments(text)).take(); }

std::optional<std::vector<std::string>> parameters_of_kernel(std::string_view source,
                                                             std::string_view kernel) {
  const std::string stripped = without_comments(source);
  const std::string_view text = stripped;
  // Each place may be looked at up to the end.
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
    const std::size_t body = text.find_first_not_of(" \t\r\n", closing + 1);
    if (body == std::string_view::npos || text[body] != '{') continue;
    const std::string_view list = text.substr(opening + 1, closing - opening - 1);
    if (list.contains('#')) return std::nullopt;
    return names_in_list(list);
  }
  return std::nullopt;
}

}  // namespace kernelscape
