#include "core/project/source_macros.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "core/base/text.h"
#include "core/project/conditional_lines.h"
#include "core/project/in_list.h"
#include "core/project/source_scan.h"

namespace kernelscape::project {
namespace {

constexpr int max_include_depth = 32;
constexpr int max_inclusions = 1000;
constexpr std::size_t max_scanned_bytes = 64U << 20U;  // of files, each as often as it is included
constexpr std::size_t max_read_bytes = 8U << 20U;      // of their lines that may be compiled: a second or two

/** Returns true if compilers, their headers and drivers may define a macro or a constant of this name. */
bool may_be_built_in(std::string_view name) {
  static constexpr std::array<std::string_view, 28> prefixes{
      "_",      "CL_",    "CLK_",  "M_",       "FLT_",     "DBL_",  "INT",     "UINT", "CHAR_", "UCHAR_",
      "SCHAR_", "LONG_",  "ULONG", "LLONG",    "SHRT_",    "USHRT", "HALF_",   "SIZE", "CUDA",  "NULL",
      "NAN",    "INFINI", "MAX",   "HUGE_VAL", "RAND_MAX", "FP_",   "ATOMIC_", "cl_"};
  static constexpr std::array<std::string_view, 13> names{
      "NDEBUG", "RESTRICT", "EXIT_SUCCESS", "EXIT_FAILURE", "EOF", "I",  "linux",
      "unix",   "i386",     "true",         "false",        "not", "and"};
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
         in_list(names, name);
}

/**
 * Returns true if a word after this text is used; after any other text, such as a word, a comma or *, it may
 * be declared.
 */
bool uses_what_follows(std::string_view before) {
  static constexpr std::array<std::string_view, 17> operators{
      "=", "+", "-", "/", "%", "<", "[", "?", "~", "|", "==", "!=", "<=", ">=", "||", "<<", "!"};
  return in_list(operators, before);
}

bool is_upper_case(std::string_view name) {
  return name.size() > 1 &&
         std::ranges::none_of(name, [](char letter) { return letter >= 'a' && letter <= 'z'; });
}

class MacroWalk {
 public:
  explicit MacroWalk(const KernelProject& project) : project_(project) {
    for (const std::string_view name : macros_of_flags(project.flags)) {
      known_.emplace(name, TriState::Perhaps);
      if (name.contains('{')) headers_unknown_ = true;
    }
    for (const Parameter& parameter : project.parameters)
      known_.insert_or_assign(parameter.name, TriState::Yes);
  }

  SourceMacros walk() {
    file(project_.source_name, project_.source, 0);
    for (auto& [name, use] : uses_) {
      if (use.elsewhere || headers_unknown_ || found_.pastes_words || is_macro(name) || may_be_built_in(name))
        continue;
      if (use.first) found_.unknown.push_back(*std::move(use.first));
    }
    return std::move(found_);
  }

 private:
  /** The places where a name is used and must have a value. */
  struct Uses {
    std::optional<UnknownName> first;  ///< in a line that is compiled
    bool elsewhere = false;            ///< true: another place may declare it
  };

  bool is_macro(std::string_view name) const { return known_.contains(name); }
  bool is_parameter(std::string_view name) const {
    return in_list(project_.parameters, name, &Parameter::name);
  }

  TriState defined(std::string_view name) const {
    if (const auto found = known_.find(name); found != known_.end()) return found->second;
    return headers_unknown_ || may_be_built_in(name) ? TriState::Perhaps : TriState::No;
  }

  void file(const std::string& name, std::string_view text, int depth) {
    if (depth > max_include_depth || !may_scan(text)) return give_up();
    const SourceLines& scanned = lines_of(text);
    const DefinedMacros defined_macros = [this](std::string_view macro) { return defined(macro); };
    ConditionalLines conditions;
    std::ptrdiff_t offset = 0;
    for (std::size_t index = 0; index < scanned.lines().size(); ++index) {
      const SourceLine& line = scanned.lines()[index];
      const TriState before = conditions.compiled();
      const bool conditional = conditions.take(scanned.lines(), index, defined_macros);
      now_ = conditional ? before : conditions.compiled();
      file_ = &name;
      line_ = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(line.number) + offset);
      if (now_ == TriState::No) continue;
      if (!may_read(line)) return give_up();
      // An -include of the flags stands before the file, whose lines are counted anew.
      if (line.directive == "line") offset = line_offset(line, offset);
      if (conditional)
        condition(line);
      else
        take(line, depth);
    }
  }

  /** Limits how often a file is scanned, since a file may be included very often. */
  bool may_scan(std::string_view text) {
    scanned_bytes_ += text.size();
    return ++inclusions_ <= max_inclusions && scanned_bytes_ <= max_scanned_bytes;
  }

  bool may_read(const SourceLine& line) {
    read_bytes_ += line.text.size();
    return read_bytes_ <= max_read_bytes;
  }

  /** What was not gone through may define, use and mention everything. */
  void give_up() {
    headers_unknown_ = true;
    found_.complete = false;
  }

  /** A file's lines, which are kept: headers with guards are included very often. */
  const SourceLines& lines_of(std::string_view text) {
    return lines_.try_emplace(text.data(), text).first->second;
  }

  static std::ptrdiff_t line_offset(const SourceLine& line, std::ptrdiff_t offset) {
    std::ptrdiff_t next = 0;
    const auto [end, error] = std::from_chars(line.text.data(), line.text.data() + line.text.size(), next);
    return error == std::errc() ? next - static_cast<std::ptrdiff_t>(line.number) - 1 : offset;
  }

  void take(const SourceLine& line, int depth) {
    if (line.text.contains("##") || line.text.contains("%:%:")) found_.pastes_words = true;
    if (line.directive == "pragma" && line.text == "once" && now_ == TriState::Yes) once_.insert(*file_);
    if (line.directive == "define" || line.directive == "undef")
      change(line);
    else if (line.directive == "include" || line.directive == "import" || line.directive == "include_next")
      include(line, depth);
    else
      mention(line, line.directive.empty());
  }

  /** Returns true if a line may need a macro's value: #ifdef and defined() do not. */
  static bool uses_values(const SourceLine& line) {
    if (line.directive.ends_with("def")) return false;
    return line.directive.empty() || !line.text.contains("defined") ||
           line.text.find_first_of("<>=+-*/%") != std::string_view::npos;
  }

  void mention(const SourceLine& line, bool code) {
    const bool values = uses_values(line);
    for (std::size_t at = 0; at < line.text.size();) {
      const auto begin =
          std::find_if(line.text.begin() + static_cast<std::ptrdiff_t>(at), line.text.end(), is_word_letter);
      const auto end = std::find_if_not(begin, line.text.end(), is_word_letter);
      if (begin != end) found_.mentioned.emplace(begin, end);
      if (begin != end && values) used_.emplace(begin, end);
      at = static_cast<std::size_t>(end - line.text.begin());
    }
    if (!code && line.directive != "pragma") return;
    for (const SourceWord& word : text_of_words(line.text)) {
      if (now_ == TriState::Yes) found_.compiled.emplace(word.text);
      if (code && is_upper_case(word.text)) use(word.text, uses_what_follows(word.before), false);
    }
  }

  void use(std::string_view name, bool value, bool condition) {
    Uses& uses = uses_[std::string(name)];
    if (!value)
      uses.elsewhere = true;
    else if (now_ == TriState::Yes && !uses.first)
      uses.first = UnknownName{std::string(name), *file_, line_, condition};
  }

  void condition(const SourceLine& line) {
    mention(line, false);
    const bool value = line.directive == "if" || line.directive == "elif";
    // A name tested by defined() may be missing, and unknown function-like macros are the compiler's.
    const bool calls = line.text.contains("defined") || line.text.contains("__has");
    for (const SourceWord& word : text_of_words(line.text)) use(word.text, value && !calls, true);
  }

  void change(const SourceLine& line) {
    const std::vector<SourceWord> words = text_of_words(line.text);
    if (words.empty()) return;
    const std::string name(words.front().text);
    const bool removed = line.directive == "undef";
    if (is_parameter(name)) change_parameter(name, removed);
    for (std::size_t index = 1; index < words.size(); ++index) {
      found_.mentioned.emplace(words[index].text);
      used_.emplace(words[index].text);
      // The replacement also contains the macro's own parameters.
      use(words[index].text, false, false);
    }
    const TriState meant = removed ? TriState::No : TriState::Yes;
    const auto [known, added] = known_.emplace(name, now_ == TriState::Yes ? meant : TriState::Perhaps);
    if (!added && known->second != meant) known->second = now_ == TriState::Yes ? meant : TriState::Perhaps;
  }

  void change_parameter(const std::string& name, bool removed) {
    // An earlier line that uses the parameter gets the parameter's own value: the change is then not certain.
    const auto first = std::ranges::find(found_.changes, name, &MacroChange::parameter);
    const bool replaces = first != found_.changes.end() && first->removed && !used_.contains(name);
    if (replaces) found_.changes.erase(first);
    if (!replaces && first != found_.changes.end()) return;
    const bool certain = now_ == TriState::Yes && !used_.contains(name) && !found_.pastes_words;
    found_.changes.push_back({name, *file_, line_, removed, certain});
  }

  void include(const SourceLine& line, int depth) {
    const bool quoted = line.text.starts_with('"');
    const std::size_t end = quoted ? line.text.find('"', 1) : std::string_view::npos;
    const std::string_view name =
        end == std::string_view::npos ? std::string_view() : line.text.substr(1, end - 1);
    const auto found = std::ranges::find(project_.includes, name, &codegen::IncludedFile::name);
    if (name.empty() || found == project_.includes.end()) {
      headers_unknown_ = true;
      // The name of a header is not a word of the source; the name of a macro is.
      if (!quoted && !line.text.starts_with('<')) mention(line, false);
      return;
    }
    if (once_.contains(found->name)) return;
    if (now_ != TriState::Yes) return perhaps_include(*found, depth + 1);
    file(found->name, found->text, depth + 1);
  }

  /** What a header does whose inclusion isn't certain isn't either, nor what it includes. */
  void perhaps_include(const codegen::IncludedFile& header, int depth) {
    // Each header once, from the first whose inclusion isn't certain on.
    if (perhaps_levels_ == 0) perhaps_seen_.clear();
    if (!perhaps_seen_.insert(header.name).second) return;
    if (!may_scan(header.text)) return give_up();
    const TriState before = now_;
    ++perhaps_levels_;
    for (const SourceLine& line : lines_of(header.text).lines()) {
      now_ = TriState::Perhaps;
      file_ = &header.name;
      line_ = line.number;
      if (!may_read(line)) {
        give_up();
        break;
      }
      take(line, depth);
    }
    --perhaps_levels_;
    now_ = before;
  }

  const KernelProject& project_;
  SourceMacros found_;
  std::set<std::string, std::less<>> used_;  ///< words whose values were needed so far
  std::map<std::string, TriState, std::less<>> known_;
  std::map<std::string, Uses, std::less<>> uses_;
  bool headers_unknown_ = false;
  int inclusions_ = 0;
  std::size_t scanned_bytes_ = 0;
  std::size_t read_bytes_ = 0;
  std::map<const char*, SourceLines> lines_;         ///< by where their text begins
  std::set<std::string, std::less<>> once_;          ///< files that are compiled once alone (#pragma once)
  std::set<std::string, std::less<>> perhaps_seen_;  ///< files of the inclusion that isn't certain
  int perhaps_levels_ = 0;                           ///< such inclusions in one another
  TriState now_ = TriState::Yes;
  const std::string* file_ = nullptr;
  std::size_t line_ = 0;
};

}  // namespace

std::vector<std::string_view> macros_of_flags(const std::vector<std::string>& flags) {
  std::vector<std::string_view> names;
  bool follows = false;
  for (const std::string_view flag : flags) {
    const bool macro = flag.starts_with("-D") || flag.starts_with("-U");
    const std::string_view name = follows ? flag : macro ? base::trimmed(flag.substr(2)) : std::string_view();
    if (!name.empty()) names.push_back(name.substr(0, name.find_first_of("=( ")));
    follows = macro && name.empty();
  }
  return names;
}

SourceMacros macros_of_source(const KernelProject& project) { return MacroWalk(project).walk(); }

bool texts_mention(const KernelProject& project, std::string_view word) {
  const auto mentions = [word](std::string_view text) {
    return has_word(text, word) && has_word(SourceLines(text).text(), word);
  };
  return mentions(project.source) ||
         std::ranges::any_of(project.includes, mentions, &codegen::IncludedFile::text);
}

bool may_mention(const SourceMacros& macros, const KernelProject& project, std::string_view word) {
  return macros.mentioned.contains(word) || (!macros.complete && texts_mention(project, word));
}

std::vector<std::string> doubtful_parameters(const KernelProject& project) {
  const SourceMacros macros = macros_of_source(project);
  std::vector<std::string> names;
  for (const Parameter& parameter : project.parameters) {
    const auto by_flag = [&](const PythonExpression& value) {
      return in_list(value.names(), parameter.name);
    };
    const bool changed = in_list(macros.changes, parameter.name, &MacroChange::parameter);
    if (!changed &&
        (macros.compiled.contains(parameter.name) || !may_mention(macros, project, parameter.name)))
      continue;
    if (std::ranges::none_of(project.flag_values, by_flag)) names.push_back(parameter.name);
  }
  return names;
}

}  // namespace kernelscape::project
