#include "core/project/conditional_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/base/text.h"
#include "core/project/in_list.h"

namespace kernelscape::project {
namespace {

TriState negation(TriState truth) {
  return truth == TriState::Yes ? TriState::No : truth == TriState::No ? TriState::Yes : TriState::Perhaps;
}

TriState both(TriState left, TriState right) { return std::min(left, right); }
TriState either(TriState left, TriState right) { return std::max(left, right); }

/**
 * Parses the condition of an #if: integers, defined, !, &&, || and brackets. Anything else may be true or
 * false.
 */
class ConditionParser {
 public:
  ConditionParser(std::string_view text, const DefinedMacros& defined) : text_(text), defined_(defined) {}

  TriState parse() {
    const TriState truth = disjunction();
    skip_blanks();
    return understood_ && text_.empty() ? truth : TriState::Perhaps;
  }

 private:
  static constexpr int max_depth = 50;

  void skip_blanks() { text_ = base::trimmed(text_); }

  bool accept(std::string_view wanted) {
    skip_blanks();
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(wanted.size());
    return true;
  }

  TriState misunderstood() {
    understood_ = false;
    return TriState::Perhaps;
  }

  TriState disjunction() {
    TriState truth = conjunction();
    while (understood_ && accept("||")) truth = either(truth, conjunction());
    return truth;
  }

  TriState conjunction() {
    TriState truth = term();
    while (understood_ && accept("&&")) truth = both(truth, term());
    return truth;
  }

  std::string_view word() {
    skip_blanks();
    const auto end = std::ranges::find_if_not(text_, is_word_letter);
    const std::string_view taken = text_.substr(0, static_cast<std::size_t>(end - text_.begin()));
    text_.remove_prefix(taken.size());
    return taken;
  }

  TriState term() {
    if (++depth_ > max_depth) return misunderstood();
    if (accept("!")) return text_.starts_with('=') ? misunderstood() : negation(term());
    if (accept("(")) {
      const TriState truth = disjunction();
      return accept(")") ? truth : misunderstood();
    }
    const std::string_view name = word();
    if (name == "defined") return defined_term();
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    // A longer number is not 0, and a number followed by letters has an unknown value.
    if (name.empty() || error != std::errc() || end != name.data() + name.size()) return misunderstood();
    return number == 0 ? TriState::No : TriState::Yes;
  }

  TriState defined_term() {
    const bool bracket = accept("(");
    const std::string_view name = word();
    if (name.empty() || (bracket && !accept(")"))) return misunderstood();
    return defined_(name);
  }

  std::string_view text_;
  const DefinedMacros& defined_;
  bool understood_ = true;
  int depth_ = 0;
};

std::string_view first_word(std::string_view text) {
  const std::vector<SourceWord> words = text_of_words(text);
  return words.empty() ? std::string_view() : words.front().text;
}

/** Returns true if the directive after an #ifndef defines the name. */
bool is_include_guard(const std::vector<SourceLine>& lines, std::size_t index, std::string_view name) {
  const auto next =
      std::ranges::find_if(lines.begin() + static_cast<std::ptrdiff_t>(index) + 1, lines.end(),
                           [](const SourceLine& line) { return !base::trimmed(line.text).empty(); });
  return next != lines.end() && next->directive == "define" && first_word(next->text) == name;
}

}  // namespace

bool ConditionalLines::take(const std::vector<SourceLine>& lines, std::size_t index,
                            const DefinedMacros& defined) {
  static constexpr std::array<std::string_view, 8> directives{"if",   "ifdef",   "ifndef",   "elif",
                                                              "else", "elifdef", "elifndef", "endif"};
  const auto [directive, text, number] = lines[index];
  if (!in_list(directives, directive)) return false;
  if (directive == "endif") {
    if (!levels_.empty()) levels_.pop_back();
    return true;
  }
  TriState condition = TriState::Yes;
  if (directive.ends_with("if")) condition = ConditionParser(text, defined).parse();
  if (directive.ends_with("def")) condition = defined(first_word(text));
  if (directive.ends_with("ndef")) {
    condition = negation(condition);
    if (condition == TriState::Perhaps && is_include_guard(lines, index, first_word(text)))
      condition = TriState::Yes;
  }
  if (directive.starts_with("if")) {
    const TriState outside = compiled();
    levels_.push_back({.outside = outside, .taken = condition, .now = both(outside, condition)});
  } else if (!levels_.empty()) {
    next_branch(condition);
  }
  return true;
}

void ConditionalLines::next_branch(TriState condition) {
  Level& level = levels_.back();
  level.now = both(level.outside, both(negation(level.taken), condition));
  level.taken = either(level.taken, condition);
}

}  // namespace kernelscape::project
