#include "core/base/media/offered_command.h"

#include "core/base/media/shell_script.h"

namespace kernelscape::base {
namespace {

constexpr std::string_view opening = "`kernelscape ";

/** Returns the place of the backquote that ends a command; npos if there is none. Words may quote others. */
std::size_t end_of_command(std::string_view text, std::size_t from) {
  constexpr std::string_view printed = "\"$(printf '";
  constexpr std::string_view printed_end = "')\"";
  for (std::size_t at = from; at < text.size(); ++at) {
    if (text[at] == '`') return at;
    if (text[at] == '\\') {
      ++at;
    } else if (text.substr(at).starts_with(printed)) {
      at = text.find(printed_end, at);
      if (at == std::string_view::npos) break;
      at += printed_end.size() - 1;
    } else if (text[at] == '\'' || text[at] == '"') {
      at = text.find(text[at], at + 1);
      if (at == std::string_view::npos) break;
    }
  }
  return std::string_view::npos;
}

/** @param words behind the program's name */
std::string completed(std::string_view words, const ProgramCall& call) {
  std::string command = ShellScript::escaped(call.program) + " " + std::string(words);
  const std::string_view name = words.substr(0, words.find(' '));
  const std::string options(words.substr(0, words.find(" -- ")));
  const bool named = (options + " ").contains(" --db ") || options.contains(" --db=");
  if (call.database.empty() || named || !call.takes_database || !call.takes_database(name)) return command;
  // Behind "--" there are no options.
  const std::size_t end = command.find(" -- ");
  return command.insert(end == std::string::npos ? command.size() : end, option_of_database(call.database));
}

}  // namespace

std::string option_of_database(const std::string& database) {
  // A path that begins with a dash would be taken for an option.
  return " --db " + ShellScript::escaped(database.starts_with('-') ? "./" + database : database);
}

std::string complete_commands(std::string_view text, const ProgramCall& call) {
  std::string made;
  for (;;) {
    const std::size_t start = text.find(opening);
    const std::size_t words = start + opening.size();
    const std::size_t end = start == std::string_view::npos ? start : end_of_command(text, words);
    if (end == std::string_view::npos) return made + std::string(text);
    made += text.substr(0, start + 1);
    made += completed(text.substr(words, end - words), call) + "`";
    text.remove_prefix(end + 1);
  }
}

}  // namespace kernelscape::base
