#include "core/project/compiler_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/project/in_list.h"

namespace kernelscape::project {
namespace {

constexpr std::string_view blanks = " \t\r\n";

/** Returns the name of the compiler that builds a language. */
std::string_view compiler_of(codegen::Dialect dialect) {
  switch (dialect) {
    case codegen::Dialect::C:
      return "the C compiler";
    case codegen::Dialect::Cuda:
      return "NVRTC, which builds CUDA";
    case codegen::Dialect::OpenCl:
      break;
  }
  return "the OpenCL compiler";
}

/** Splits a text into words by the rules of a POSIX shell. */
class WordSplitter {
 public:
  explicit WordSplitter(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> split() {
    while (at_ < text_.size()) {
      const char letter = text_[at_];
      if (blanks.contains(letter))
        finish_word();
      else if (letter == '\'' || letter == '"')
        TRY(quoted(letter));
      else if (letter == '{')
        expression();
      else if (letter == '\\' && at_ + 1 < text_.size())
        add(text_[++at_]);
      else
        add(letter);
      ++at_;
    }
    finish_word();
    return std::move(words_);
  }

 private:
  void add(char letter) { word_ = word_.value_or(std::string()) + letter; }

  void finish_word() {
    if (word_) words_.push_back(*std::move(word_));
    word_.reset();
  }

  /** Copies quoted text; stops at the closing quote. */
  Status quoted(char quote) {
    word_ = word_.value_or(std::string());
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      const bool escapes = quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() &&
                           std::string_view("$`\"\\").contains(text_[at_ + 1]);
      if (escapes) ++at_;
      add(text_[at_]);
    }
    if (at_ < text_.size()) return {};
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} has an unterminated quote", base::quoted_line(text_)),
                "Close the quote, or write \\ before it.");
  }

  /** Copies the text between braces; stops at the closing one. */
  void expression() {
    while (at_ < text_.size() && text_[at_] != '}') add(text_[at_++]);
    if (at_ < text_.size()) add('}');
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::string> word_;
  std::vector<std::string> words_;
};

bool is_macro_flag(std::string_view word) { return word.starts_with("-D"); }

/** Returns true if a text that is one word is a macro whose quotes are those of a C string or character. */
bool has_quotes_of_c(std::string_view text) {
  const std::size_t value = text.find('=');
  if (!is_macro_flag(text) || value == std::string_view::npos || value + 1 == text.size()) return false;
  const char quote = text[value + 1];
  return quote == '"' || (quote == '\'' && text.find_first_of(blanks) == std::string_view::npos);
}

/** Returns true for options whose argument may be the next word, with one hyphen or two. */
bool takes_next_word(std::string_view word) {
  static constexpr std::array<std::string_view, 45> options{"-I",
                                                            "-D",
                                                            "-U",
                                                            "-include",
                                                            "-isystem",
                                                            "-iquote",
                                                            "-idirafter",
                                                            "-imacros",
                                                            "-x",
                                                            "-o",
                                                            "-L",
                                                            "-l",
                                                            "-Xlinker",
                                                            "-Xassembler",
                                                            "-Xpreprocessor",
                                                            "-Xclang",
                                                            "-mllvm",
                                                            "-arch",
                                                            "-code",
                                                            "-gencode",
                                                            "-std",
                                                            "-Xptxas",
                                                            "-Xcompiler",
                                                            "-maxrregcount",
                                                            "-ccbin",
                                                            "-t",
                                                            "-param",
                                                            "-gpu-architecture",
                                                            "-gpu-code",
                                                            "-generate-code",
                                                            "-ptxas-options",
                                                            "-compiler-options",
                                                            "-linker-options",
                                                            "-compiler-bindir",
                                                            "-include-path",
                                                            "-system-include",
                                                            "-define-macro",
                                                            "-undefine-macro",
                                                            "-pre-include",
                                                            "-threads",
                                                            "-output-file",
                                                            "-machine",
                                                            "-optimize",
                                                            "-cudart",
                                                            "-diag-suppress"};
  if (word.starts_with("--")) word.remove_prefix(1);
  return in_list(options, word);
}

std::string_view without_hyphens(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

/** An option by its name without hyphens, and its argument. */
struct Option {
  std::string_view name;
  std::optional<std::string> argument;
};

/** The treatment of an option of another compiler. */
enum class Use {
  Leave,     ///< it has no effect here: omitted, with a notice
  Refuse,    ///< the compiler does not support its meaning
  Replace,   ///< replaced by another option, which `text` names
  HostWords  ///< its argument is for the host's compiler
};

struct Rule {
  std::string_view names;  ///< names with blanks between and around them; a name ending in * is a prefix
  Use use;
  std::string_view text;  ///< the reason, the hint, or the other option
};

constexpr std::array c_rules{
    Rule{" Xcompiler compiler-options ", Use::HostWords, ""},
    Rule{" use_fast_math ", Use::Refuse, "Write -ffast-math."},
    Rule{" arch gpu-architecture gencode generate-code Xptxas ptxas-options maxrregcount lineinfo ",
         Use::Refuse, "Omit the flag: it is nvcc's."},
    Rule{" cl-* ", Use::Refuse, "Omit the flag: it is OpenCL's."},
    Rule{" c o S E ", Use::Leave, "Kernelscape chooses the outputs of a build"}};
constexpr std::array cuda_rules{
    Rule{" arch gpu-architecture gencode generate-code code gpu-code ", Use::Leave,
         "the target determines the architecture of kernels"},
    Rule{" O O0 O1 O2 O3 optimize ", Use::Leave, "NVRTC always optimizes device code"},
    Rule{" Xcompiler compiler-options Xlinker linker-options ccbin compiler-bindir lcu* lnv* lm lpthread "
         "lstdc++ L* g m64 machine shared "
         "cudart allow-unsupported-compiler fPIC ",
         Use::Leave, "it is about host code, and a kernel has none"},
    Rule{" c compile o output-file x cubin ptx fatbin keep v verbose t threads resource-usage res-usage ",
         Use::Leave, "Kernelscape chooses the outputs of a build"},
    Rule{" expt-relaxed-constexpr expt-extended-lambda extended-lambda Wno-deprecated-gpu-targets ",
         Use::Leave, "NVRTC has no such option"},
    Rule{" ffast-math ", Use::Refuse, "Write --use_fast_math."},
    Rule{" march=* mtune=* mcpu=* mavx* msse* mfma Ofast funroll-loops ftree* fopenmp fno-* pthread Wall "
         "Wextra ",
         Use::Refuse, "Omit the flag: it is GCC's."},
    Rule{" cl-* ", Use::Refuse, "Omit the flag: it is OpenCL's."}};
constexpr std::array opencl_rules{
    Rule{" use_fast_math ffast-math ", Use::Replace, "-cl-fast-relaxed-math"},
    Rule{" O0 ", Use::Replace, "-cl-opt-disable"},
    Rule{" O O1 O2 O3 Ofast ", Use::Leave, "OpenCL optimizes unless -cl-opt-disable is given"},
    Rule{" Xcompiler compiler-options Xlinker ccbin c o ", Use::Leave, "it is about host code"},
    Rule{" maxrregcount ", Use::Refuse, "Write -cl-nv-maxrregcount=N for NVIDIA's OpenCL."},
    Rule{" arch gpu-architecture gencode generate-code Xptxas ptxas-options lineinfo ", Use::Refuse,
         "Omit the flag: it is nvcc's."},
    Rule{" march=* mtune=* mcpu=* mavx* msse* funroll-loops ftree-vectorize fopenmp pthread Wall Wextra ",
         Use::Refuse, "Omit the flag: it is GCC's."}};

/** Returns true if a rule has the option; "march=*" is compared with the option and its argument. */
bool has_option(const Rule& rule, const Option& option, std::string_view whole) {
  std::string_view rest = rule.names;
  while (!(rest = base::trimmed(rest)).empty()) {
    const std::string_view name = rest.substr(0, rest.find(' '));
    if (name.ends_with('*') ? whole.starts_with(name.substr(0, name.size() - 1)) : name == option.name)
      return true;
    rest.remove_prefix(name.size());
  }
  return false;
}

std::span<const Rule> rules_of(codegen::Dialect dialect) {
  switch (dialect) {
    case codegen::Dialect::C:
      return c_rules;
    case codegen::Dialect::Cuda:
      return cuda_rules;
    case codegen::Dialect::OpenCl:
      break;
  }
  return opencl_rules;
}

/** Translates words in order; an option's argument may be the next word. */
class FlagTranslator {
 public:
  FlagTranslator(codegen::Dialect dialect, const std::vector<std::string>& words)
      : dialect_(dialect), words_(words) {}

  Result<CompilerFlags> translate() {
    while (at_ < words_.size()) TRY(take_word());
    return std::move(made_);
  }

 private:
  /** Reads the option at the current word, and moves past it and its argument. */
  Option take_option() {
    const std::string_view word = words_[at_++];
    const std::size_t equals = word.find('=');
    Option option{without_hyphens(word.substr(0, equals)), std::nullopt};
    if (equals != std::string_view::npos) option.argument = std::string(word.substr(equals + 1));
    if (takes_next_word(word) && at_ < words_.size()) option.argument = words_[at_++];
    return option;
  }

  Status take_word() {
    const std::size_t start = at_;
    const std::string& word = words_[start];
    if (const auto folder = path_argument(word, include_options)) {
      // A folder of the machine's, such as a library's, is the compiler's.
      if (folder->starts_with('/')) keep_words(start);
      return add_path(word, *folder, made_.include_folders);
    }
    if (const auto file = path_argument(word, file_options)) {
      // Only the compiler knows which file of the machine's a configuration has.
      if (file->starts_with('/') && file->contains('{')) keep_words(start);
      return add_path(word, *file, made_.included_files);
    }
    const Option option = take_option();
    if (word.starts_with('-')) {
      for (const Rule& rule : rules_of(dialect_)) {
        if (has_option(rule, option, without_hyphens(word))) return apply(rule, option, word);
      }
      if (dialect_ == codegen::Dialect::Cuda && join_argument(option)) return {};
    }
    keep_words(start);
    return {};
  }

  /** Leaves the words from one on, up to where this is, to the compiler. */
  void keep_words(std::size_t start) {
    made_.words.insert(made_.words.end(), words_.begin() + static_cast<std::ptrdiff_t>(start),
                       words_.begin() + static_cast<std::ptrdiff_t>(at_));
  }

  static constexpr std::array<std::string_view, 7> include_options{
      "-isystem", "-iquote", "-idirafter", "--include-path", "-include-path", "--system-include", "-I"};
  static constexpr std::array<std::string_view, 4> file_options{"--pre-include", "-pre-include", "-include",
                                                                "-imacros"};

  /** Returns the path behind one of the options, in the same word or in the next. */
  std::optional<std::string> path_argument(std::string_view word, std::span<const std::string_view> options) {
    for (const std::string_view option : options) {
      if (!word.starts_with(option)) continue;
      std::string_view path = word.substr(option.size());
      // "-includes" is not "-include".
      if (!path.empty() && option.size() > 2 && !option.ends_with("system") && path.front() != '=') continue;
      if (path.starts_with('=')) path.remove_prefix(1);
      ++at_;
      if (path.empty() && at_ < words_.size()) path = words_[at_++];
      return std::string(base::trimmed(path));
    }
    return std::nullopt;
  }

  Status add_path(std::string_view word, const std::string& path, std::vector<std::string>& paths) const {
    // With braces, a path of the machine's is the compiler's alone.
    if (path.starts_with('/') && path.contains('{')) return {};
    if (path.empty() || path.contains('{'))
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("the flag {} needs a path that is the same for all configurations",
                              base::quoted_line(word)),
                  "Write the path behind the flag, without braces; only paths from / on may have them.");
    paths.push_back(path);
    return {};
  }

  Status apply(const Rule& rule, const Option& option, std::string_view word) {
    switch (rule.use) {
      case Use::Leave:
        made_.notices.push_back(
            fmt::format("the flag {} is omitted: {}", base::quoted_line(word), rule.text));
        return {};
      case Use::Replace:
        made_.words.emplace_back(rule.text);
        made_.notices.push_back(
            fmt::format("the flag {} is replaced by {}", base::quoted_line(word), rule.text));
        return {};
      case Use::HostWords:
        for (std::string& one : base::split_text(option.argument.value_or(""), ',')) {
          if (!one.empty()) made_.words.push_back(std::move(one));
        }
        return {};
      case Use::Refuse:
        break;
    }
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("{} does not support the flag {}", compiler_of(dialect_), base::quoted_line(word)),
        std::string(rule.text));
  }

  /** Joins NVRTC's name of an option of nvcc and its argument in one word. */
  bool join_argument(const Option& option) {
    if (!option.argument) return false;
    if (option.name == "Xptxas" || option.name == "ptxas-options") {
      for (const std::string& one : base::split_text(*option.argument, ',')) {
        if (!one.empty()) made_.words.push_back("--ptxas-options=" + one);
      }
      return true;
    }
    if (option.name != "std" && option.name != "maxrregcount") return false;
    made_.words.push_back(fmt::format("--{}={}", option.name, *option.argument));
    return true;
  }

  codegen::Dialect dialect_;
  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  CompilerFlags made_;
};

}  // namespace

Result<std::vector<std::string>> split_flags(std::string_view text) {
  // One flag per text, in the form of a list for execve().
  if (text.find_first_of(" \t\r\n\"'\\") == std::string_view::npos)
    return std::vector<std::string>{std::string(text)};
  std::vector<std::string> flags;
  bool argument = false;
  bool macro = false;
  for (std::string& word : TRY(WordSplitter(text).split())) {
    const bool is_flag = word.starts_with('-') || argument || flags.empty();
    if (!is_flag && !macro)
      return fail(
          ErrorCode::InvalidArgument,
          fmt::format("{} has {}, which is not a flag", base::quoted_line(text), base::quoted_line(word)),
          "Put quotes around a value with blanks.");
    if (!is_flag) {
      flags.back() += " " + word;
      continue;
    }
    macro = argument ? macro : is_macro_flag(word) && (word == "-D" || word.contains('='));
    argument = !argument && takes_next_word(word);
    flags.push_back(std::move(word));
  }
  if (flags.size() == 1 && has_quotes_of_c(text)) return std::vector<std::string>{std::string(text)};
  return flags;
}

Result<CompilerFlags> translate_flags(codegen::Dialect dialect, const std::vector<std::string>& words) {
  return FlagTranslator(dialect, words).translate();
}

}  // namespace kernelscape::project
