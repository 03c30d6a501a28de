#include "core/exchange/formats/delimited_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/base/text.h"

namespace kernelscape::exchange {
namespace {

constexpr std::string_view field_blanks = " \t";
constexpr std::string_view table_delimiters = "\t;,";

}  // namespace

char delimiter_of(std::string_view first_line) {
  bool quoted = false;
  std::array<std::size_t, 3> counts{};
  for (const char c : first_line) {
    if (c == '"') quoted = !quoted;
    const std::size_t at = table_delimiters.find(c);
    if (!quoted && at != std::string_view::npos) ++counts[at];
  }
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) return table_delimiters[i];
  return 0;
}

bool is_table_comment(std::string_view line) {
  return line.starts_with('#') && (line.size() == 1 || !table_delimiters.contains(line[1]));
}

std::vector<std::string> fields_of_line(std::string_view line, char delimiter) {
  ImportText text("line", std::string(line));
  DelimitedRecords records(text, delimiter);
  std::vector<std::string> fields;
  if (const Result<bool> read = records.next(); !read || !*read) return fields;
  for (std::size_t i = 0; i < records.size(); ++i) fields.emplace_back(records.field(i));
  return fields;
}

std::string_view DelimitedRecords::field(std::size_t column) const {
  const std::size_t begin = column == 0 ? 0 : ends_[column - 1];
  return std::string_view(bytes_).substr(begin, ends_[column] - begin);
}

std::unexpected<Error> DelimitedRecords::at_record(std::string message, std::string hint) const {
  return fail(ErrorCode::InvalidArgument, fmt::format("line {}: {}", record_line_, message), std::move(hint));
}

/** Moves past LF, CR LF or CR, at which the text stands. */
bool DelimitedRecords::skip_line_end() {
  if (text_.current() != '\n' && text_.current() != '\r') return false;
  const bool carriage = text_.current() == '\r';
  text_.advance();
  if (carriage && !text_.ended() && text_.current() == '\n') text_.advance();
  ++line_;
  return true;
}

Status DelimitedRecords::read_quoted() {
  text_.advance();
  while (!text_.ended()) {
    const char c = text_.current();
    text_.advance();
    if (c == '"') {
      if (text_.ended() || text_.current() != '"') return {};
      text_.advance();
    }
    if (c == '\n') ++line_;
    bytes_ += c;
  }
  return at_record("a quote is not closed", "close it, or double the quotes within a field");
}

/** Ends a field; blanks around it belong to it only in quotes. */
Status DelimitedRecords::end_field(bool quoted) {
  const std::size_t begin = ends_.empty() ? 0 : ends_.back();
  if (!quoted) {
    const std::string_view trimmed = base::trimmed(std::string_view(bytes_).substr(begin), field_blanks);
    const std::size_t size = trimmed.size();
    const std::size_t before =
        size == 0 ? 0 : static_cast<std::size_t>(trimmed.data() - bytes_.data()) - begin;
    if (before > 0) bytes_.erase(begin, before);
    bytes_.resize(begin + size);
  }
  ends_.push_back(bytes_.size());
  if (ends_.size() <= max_table_columns) return {};
  return at_record(fmt::format("it has more than {} columns", max_table_columns),
                   "keep the columns of parameters and results");
}

Result<bool> DelimitedRecords::read_record() {
  bool quoted = false;
  bool blank = true;  // nothing but blanks since the field began
  while (!text_.ended()) {
    const char c = text_.current();
    if (c == delimiter_) {
      TRY(end_field(quoted));
      text_.advance();
      quoted = false;
      blank = true;
    } else if (c == '\n' || c == '\r') {
      break;
    } else if (c == '"' && blank) {
      bytes_.resize(ends_.empty() ? 0 : ends_.back());
      TRY(read_quoted());
      quoted = true;
      blank = false;
    } else {
      // Blanks between a closing quote and the delimiter do not belong to the field.
      if (!quoted || !field_blanks.contains(c)) bytes_ += c;
      blank = blank && field_blanks.contains(c);
      text_.advance();
    }
  }
  TRY(end_field(quoted));
  if (!text_.ended()) skip_line_end();
  return ends_.size() > 1 || !field(0).empty() || quoted;
}

/**
 * Skips a line that begins with #, whatever quotes it has. Returns false at a header whose first column is
 * named
 * #: the name is read.
 */
bool DelimitedRecords::skip_comment() {
  text_.advance();
  if (!begun_ && !text_.ended() && text_.current() == delimiter_) {
    bytes_ = "#";
    return false;
  }
  while (!text_.ended() && text_.current() != '\n' && text_.current() != '\r') text_.advance();
  if (!text_.ended()) skip_line_end();
  return true;
}

Result<bool> DelimitedRecords::next() {
  while (!text_.ended()) {
    bytes_.clear();
    ends_.clear();
    record_line_ = line_;
    const bool comment = text_.current() == '#' && skip_comment();
    const bool filled = !comment && TRY(read_record());
    text_.mark();
    if (text_.error()) break;
    begun_ = begun_ || filled;
    if (filled) return true;
  }
  if (text_.error()) return std::unexpected(*text_.error());
  return false;
}

}  // namespace kernelscape::exchange
