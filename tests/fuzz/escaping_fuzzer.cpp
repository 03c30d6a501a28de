#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/media/c_source.h"
#include "core/base/media/cmake_script.h"
#include "core/base/media/csv.h"
#include "core/base/media/html.h"
#include "core/base/media/markdown.h"
#include "core/base/media/shell_script.h"
#include "core/base/media/terminal.h"
#include "core/base/visible_text.h"
#include "tests/base/media_readers.h"

using namespace kernelscape;
using namespace kernelscape::base_tests;

namespace {

void must(bool holds) {
  if (!holds) std::abort();
}

std::string without(std::string text, std::string_view dropped) {
  std::erase_if(text, [&](char c) { return dropped.contains(c); });
  return text;
}

std::size_t count_of(std::string_view text) { return code_points(text).value().size(); }

void check_visible(std::string_view text) {
  const std::string visible = base::visible_text(text);
  must(!steers(visible) && base::visible_text(visible) == visible);
  must(visible == text || !is_plain_text(text));
  const std::string plain = without(std::string(text), "\\");
  must(terminal_text(base::visible_text(plain)) == plain);

  const std::string shown = base::printable_text(text);
  must(!steers(shown, U"\n\t") && base::printable_text(shown) == shown);
  must(shown == text || !is_plain_text(text));
  const std::optional<std::u32string> characters = code_points(shown);
  must(std::ranges::none_of(*characters, [](char32_t code) { return (code & 0xFFFEU) == 0xFFFE; }));
}

void check_cut(std::string_view text, std::size_t most) {
  const std::string whole = base::visible_text(text);
  const std::string cut = base::visible_text(text, most);
  must(!steers(cut) && count_of(cut) == std::min(most, count_of(whole)));
  must(cut == whole || count_of(whole) > most);

  constexpr std::string_view ellipsis = "...";
  const std::string line = base::one_line(text, most);
  must(!steers(line) && count_of(line) <= most + ellipsis.size());
  must(whole.starts_with(line) ||
       (line.ends_with(ellipsis) && whole.starts_with(line.substr(0, line.size() - ellipsis.size()))));
  must(base::quoted_line(text, most) == '"' + line + '"');
}

void check_terminal(std::string_view text, std::size_t most) {
  must(base::Terminal::escaped(text) == base::visible_text(text));
  must(base::write<base::Terminal>("{}", text).text() == base::visible_text(text));
  must(base::Terminal::line(text, most).text() == base::visible_text(text, most));
  const std::string lines = base::Terminal::lines(text).text();
  must(!steers(lines, U"\n") && std::ranges::count(lines, '\n') == std::ranges::count(text, '\n'));
  const std::string plain = without(std::string(text), "\\");
  must(terminal_text(base::Terminal::lines(plain).text()) == plain);
}

void check_csv(std::string_view text) {
  using Fields = std::vector<std::string>;
  must(csv_record(base::Csv::field(text, base::CsvFormulas::Raw).text()) == Fields{std::string(text)});
  const std::string field = base::Csv::field(text).text();
  must(base::Csv::escaped(text) == field);
  const std::optional<Fields> read = csv_record(base::write<base::Csv>("{},{}", text, text).text());
  must(read && read->size() == 2 && csv_record(field) == Fields{read->front()});
  must(read->front() == read->back());
  // A formula has an apostrophe before it, and nothing else has.
  must(read->front() == guarded_text(std::string(text)));
}

void check_number(double number) {
  const std::string field = base::Csv::field(number).text();
  must(csv_record(field) == std::vector<std::string>{field});
  if (std::isnan(number)) return must(field.empty());
  double read = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), read);
  must(error == std::errc() && end == field.data() + field.size() && read == number);
}

void check_html(std::string_view text) {
  const std::string markup = base::Html::escaped(text);
  must(html_text(markup) == base::printable_text(text));
  must(base::Html::text(text).text() == markup && base::write<base::Html>("{}", text).text() == markup);
}

void check_c_source(std::string_view text) {
  const std::string literal = base::CSource::string(text).text();
  must(!steers(literal) && c_bytes(literal) == text);
  const base::CSourceText inside = base::CSource::comment(text);
  for (const base::CSourceText& comment : {"/*" + inside + "*/", "/*" + inside + inside + "*/"})
    must(!steers(comment.text()) && is_c_comment(comment.text()));
  must(without(inside.text(), " ") == without(base::printable_text(text), " \n\t\\"));
  const std::string name = base::CSource::name(text).text();
  must(is_c_name(name) && (name == text || !is_c_name(text)));
}

void check_cmake(std::string_view text) {
  const std::string argument = base::CMakeScript::escaped(text);
  must(!steers(argument));
  const std::optional<std::string> element = cmake_element(argument);
  must(element && (*element == text || !is_plain_text(text) || !fits_cmake_element(text)));
  const std::string name = base::CMakeScript::name(text).text();
  // A name may begin with a digit.
  must(is_c_name("_" + name) && !name.empty());
  must(name == text || text.empty() || !is_c_name("_" + std::string(text)));
}

void check_shell(std::string_view text) {
  const std::string written = base::ShellScript::word(text).text();
  must(base::ShellScript::escaped(text) == written && !steers(written));
  const std::optional<ShellWord> word = shell_word(written);
  must(word && (!word->printed || !is_plain_text(text)));
  std::string expected(text);
  if (word->printed) {
    std::erase(expected, '\0');
    while (expected.ends_with('\n')) expected.pop_back();
  }
  must(word->text == expected);
}

void check_markdown(std::string_view text, std::size_t indent) {
  const std::string line = in_one_line(base::printable_text(text));
  const std::string words = base::Markdown::words(text).text();
  must(base::Markdown::escaped(text) == words && !steers(words) &&
       markdown_text(words) == without_indent(line));
  const std::string code = base::Markdown::code(text).text();
  must(!steers(code) && !code.contains('|') && markdown_code(code) == line);

  const base::TerminalText inside = base::Terminal::lines(text);
  const std::string block = base::Markdown::block(inside, indent).text();
  must(markdown_block(block, indent) == markdown_block(base::Markdown::block(inside).text(), 0));
  must(without(block, " ") == without(inside.text(), " "));
}

}  // namespace

/** Any bytes are text alone in every medium, and come back from it as far as it can hold them. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t some = size > 0 ? data[0] : 0;
  check_visible(text);
  check_cut(text, some);
  check_terminal(text, some);
  check_csv(text);
  double number = 0;
  text.copy(reinterpret_cast<char*>(&number), sizeof number);
  check_number(number);
  check_html(text);
  check_c_source(text);
  check_cmake(text);
  check_shell(text);
  check_markdown(text, some % 8);
  return 0;
}
