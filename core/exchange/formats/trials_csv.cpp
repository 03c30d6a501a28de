#include "core/exchange/formats/trials_csv.h"

#include <fmt/format.h>

#include <map>

#include "core/base/text.h"

namespace kernelscape::exchange {
namespace {

constexpr std::size_t csv_piece_bytes = 64 << 10;
constexpr std::size_t max_kept_messages = 1024;

class CsvWriter {
 public:
  CsvWriter(const analysis::TrialColumns& columns, const trial::Snapshot& trials,
            std::span<const std::size_t> chosen, const CsvTexts& texts, const TextSink& sink)
      : columns_(columns), trials_(trials), chosen_(chosen), texts_(texts), sink_(sink) {}

  Status run(std::span<const std::int64_t> rows) {
    write_header();
    for (const std::int64_t row : rows) {
      TRY(write_row(row));
      if (text_.text().size() < csv_piece_bytes) continue;
      TRY(flush());
    }
    return flush();
  }

 private:
  std::string_view name_of(std::size_t column) const {
    if (column == message_column) return message_column_name;
    if (column == build_log_column) return build_log_column_name;
    return columns_.columns()[column].name;
  }

  void write_header() {
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      if (i > 0) text_ += ",";
      text_ += base::Csv::field(name_of(chosen_[i]), texts_.formulas);
    }
    text_ += "\r\n";
  }

  Status write_row(std::int64_t row) {
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      if (i > 0) text_ += ",";
      Status written;
      if (chosen_[i] == message_column) {
        written = write_message(trials_.row(row).message);
      } else if (chosen_[i] == build_log_column) {
        written = write_message(trials_.row(row).build_log);
      } else {
        append_value(row, chosen_[i]);
      }
      TRY(written);
    }
    text_ += "\r\n";
    return {};
  }

  void append_value(std::int64_t row, std::size_t column) {
    text_ += columns_.columns()[column].kind == analysis::ColumnKind::Real
                 ? base::Csv::field(columns_.value(trials_, row, column))
                 : base::Csv::field(columns_.text(trials_, row, column), texts_.formulas);
  }

  Status write_message(std::int64_t id) {
    if (id == 0) return {};
    auto known = messages_.find(id);
    if (known == messages_.end()) {
      std::string message = TRY(texts_.read_message(id));
      if (messages_.size() >= max_kept_messages) messages_.clear();
      known = messages_.emplace(id, std::move(message)).first;
    }
    text_ += base::Csv::field(known->second, texts_.formulas);
    return {};
  }

  Status flush() {
    const Status taken = sink_(text_.text());
    text_.clear();
    return taken;
  }

  const analysis::TrialColumns& columns_;
  const trial::Snapshot& trials_;
  std::span<const std::size_t> chosen_;
  const CsvTexts& texts_;
  const TextSink& sink_;
  base::CsvText text_;
  std::map<std::int64_t, std::string> messages_;
};

}  // namespace

Result<std::vector<std::size_t>> choose_csv_columns(const analysis::TrialColumns& columns,
                                                    std::span<const std::string> names) {
  std::vector<std::size_t> chosen;
  if (names.empty()) {
    for (std::size_t column = 0; column < columns.columns().size(); ++column) chosen.push_back(column);
    chosen.push_back(message_column);
    return chosen;
  }
  for (const std::string& name : names) {
    if (const auto column = columns.find(name)) {
      chosen.push_back(*column);
    } else if (name == message_column_name) {
      chosen.push_back(message_column);
    } else if (name == build_log_column_name) {
      chosen.push_back(build_log_column);
    } else {
      std::vector<std::string> known{std::string(message_column_name), std::string(build_log_column_name)};
      for (const analysis::Column& other : columns.columns()) known.push_back(other.name);
      return fail(ErrorCode::NotFound, fmt::format("trials have no column \"{}\"", name),
                  base::suggest(name, known));
    }
  }
  return chosen;
}

Status write_trials_csv(const analysis::TrialColumns& columns, const trial::Snapshot& trials,
                        std::span<const std::int64_t> rows, std::span<const std::size_t> chosen,
                        const CsvTexts& texts, const TextSink& sink) {
  return CsvWriter(columns, trials, chosen, texts, sink).run(rows);
}

}  // namespace kernelscape::exchange
