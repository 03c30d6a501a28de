#include <fmt/format.h>

#include <QTest>
#include <array>
#include <cmath>
#include <functional>

#include "core/analysis/filter/filter.h"
#include "core/analysis/filter/filter_text.h"
#include "tests/analysis/random_trials.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_filter_test {

namespace {

/** A condition as text, and what it means, row by row. */
struct Reference {
  std::string text;
  std::function<bool(std::int64_t row)> passes;
};

constexpr std::array<const char*, 6> symbols{"=", "!=", "<", "<=", ">", ">="};

bool holds(double left, std::size_t symbol, double right) {
  if (std::isnan(left) || std::isnan(right)) return false;
  switch (symbol) {
    case 0:
      return left == right;
    case 1:
      return left != right;
    case 2:
      return left < right;
    case 3:
      return left <= right;
    case 4:
      return left > right;
    default:
      return left >= right;
  }
}

/** Writes random filters the way users do, and remembers their meaning by lambdas. */
class Writer {
 public:
  Writer(base::Random& random, const trial::Snapshot& trials, const analysis::TrialColumns& columns)
      : random_(random), trials_(trials), columns_(columns) {}

  Reference expression(int depth) {
    switch (depth > 0 ? random_.below(5) : 4) {
      case 0: {
        const Reference left = expression(depth - 1);
        const Reference right = expression(depth - 1);
        return {wrapped(left.text) + pick({" and ", " AND\n", "&&"}) + wrapped(right.text),
                [=](std::int64_t row) { return left.passes(row) && right.passes(row); }};
      }
      case 1: {
        const Reference left = expression(depth - 1);
        const Reference right = expression(depth - 1);
        return {wrapped(left.text) + pick({" or ", " Or ", "||"}) + wrapped(right.text),
                [=](std::int64_t row) { return left.passes(row) || right.passes(row); }};
      }
      case 2: {
        const Reference inner = expression(depth - 1);
        return {pick({"not ", "!"}) + wrapped(inner.text),
                [=](std::int64_t row) { return !inner.passes(row); }};
      }
      case 3: {  // and binds more tightly
        const Reference a = leaf();
        const Reference b = leaf();
        const Reference c = leaf();
        return {a.text + " or " + b.text + " and " + c.text,
                [=](std::int64_t row) { return a.passes(row) || (b.passes(row) && c.passes(row)); }};
      }
      default:
        return leaf();
    }
  }

 private:
  std::string pick(std::initializer_list<const char*> texts) {
    return *(texts.begin() + static_cast<std::ptrdiff_t>(random_.below(texts.size())));
  }
  std::string wrapped(const std::string& text) { return "(" + text + ")"; }

  double value_of(std::int64_t row, std::size_t column) const { return columns_.value(trials_, row, column); }

  /** A value that some trial has, so that equality is not always false. */
  double some_value(std::size_t column) {
    for (;;) {
      const auto row = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(trials_.size())));
      if (const double value = value_of(row, column); !std::isnan(value)) return value;
    }
  }

  static bool is_numbered(const analysis::Column& column) {
    return column.name == "error" || column.name == "cut_short";
  }

  std::string literal(std::size_t column, double value) {
    const analysis::Column& compared = columns_.columns()[column];
    if (compared.kind != analysis::ColumnKind::Label) return fmt::format("{}", value);
    const std::string label = compared.labels.at(static_cast<std::size_t>(value));
    if (is_numbered(compared) && random_.chance(0.3)) return fmt::format("{}", value);
    return analysis::filter_label(label);
  }

  Reference leaf() {
    const std::size_t column = random_.below(columns_.columns().size());
    const analysis::Column& compared = columns_.columns()[column];
    const std::string name = analysis::filter_name(compared.name);
    const bool ordered = compared.kind != analysis::ColumnKind::Label || is_numbered(compared);
    switch (random_.below(5)) {
      case 0:
        return membership(column, name, ordered);
      case 1:
        if (const auto other = comparable(column)) return with_column(column, name, *other, ordered);
        break;
      case 2: {
        const bool valid = random_.chance(0.5);
        return {valid ? "valid" : "invalid", [this, valid](std::int64_t row) {
                  return (trials_.row(row).category == trial::ErrorCategory::NoError) == valid;
                }};
      }
      default:
        break;
    }
    const std::size_t symbol = random_.below(ordered ? 6 : 2);
    const double value = some_value(column);
    return {fmt::format("{} {} {}", name, symbols[symbol], literal(column, value)),
            [=, this](std::int64_t row) { return holds(value_of(row, column), symbol, value); }};
  }

  std::optional<std::size_t> comparable(std::size_t column) {
    const analysis::Column& left = columns_.columns()[column];
    const std::size_t other = random_.below(columns_.columns().size());
    const analysis::Column& right = columns_.columns()[other];
    if (left.kind == analysis::ColumnKind::Label) return column;
    const bool same = right.kind != analysis::ColumnKind::Label && left.unit == right.unit &&
                      (left.name == "gflops") == (right.name == "gflops");
    return same ? std::optional(other) : std::nullopt;
  }

  Reference with_column(std::size_t column, const std::string& name, std::size_t other, bool ordered) {
    // A bare word is the label before it is the column of that name.
    const std::string right = columns_.columns()[column].kind == analysis::ColumnKind::Label
                                  ? "`" + columns_.columns()[other].name + "`"
                                  : analysis::filter_name(columns_.columns()[other].name);
    const std::size_t symbol = random_.below(ordered ? 6 : 2);
    return {fmt::format("{}{}{}", name, symbols[symbol], right), [=, this](std::int64_t row) {
              return holds(value_of(row, column), symbol, value_of(row, other));
            }};
  }

  Reference membership(std::size_t column, const std::string& name, bool ordered) {
    struct Range {
      double low;
      double high;
    };
    std::vector<Range> ranges;
    std::vector<std::string> texts;
    for (std::uint64_t i = random_.below(4) + 1; i > 0; --i) {
      double low = some_value(column);
      double high = ordered && random_.chance(0.5) ? some_value(column) : low;
      if (low > high) std::swap(low, high);
      ranges.push_back({low, high});
      const std::string text = literal(column, low);
      texts.push_back(low == high ? text : text + ".." + literal(column, high));
    }
    const bool negated = random_.chance(0.4);
    return {fmt::format("{} {}in ({})", name, negated ? "not " : "", fmt::join(texts, ", ")),
            [=, this](std::int64_t row) {
              const double value = value_of(row, column);
              bool inside = false;
              for (const Range& range : ranges) inside |= value >= range.low && value <= range.high;
              return !std::isnan(value) && inside != negated;
            }};
  }

  base::Random& random_;
  const trial::Snapshot& trials_;
  const analysis::TrialColumns& columns_;
};

/** Fails the test with the filter's own words. */
std::optional<analysis::Filter> parsed(const std::string& text, const analysis::TrialColumns& columns) {
  auto filter = analysis::Filter::parse(text, columns);
  if (filter) return *std::move(filter);
  qWarning("%s: %s (%s) at %zu", text.c_str(), filter.error().message.c_str(), filter.error().hint.c_str(),
           filter.error().position);
  return std::nullopt;
}

}  // namespace

class FilterTest : public QObject {
  Q_OBJECT

  const space::SearchSpace space_ = space_of_all_kinds();
  const analysis::TrialColumns columns_{space_, 1e9, true};

  analysis::RowSet rows_of(const std::string& text, const trial::Snapshot& trials) const {
    const auto filter = parsed(text, columns_);
    return filter ? filter->evaluate(trials, columns_) : analysis::RowSet();
  }

 private slots:
  void random_filters_mean_what_they_say() {
    base::Random random = printed_random();
    const trial::Snapshot trials = random_trials(random, space_, 5000).snapshot();
    Writer writer(random, trials, columns_);
    for (int round = 0; round < 300; ++round) {
      const Reference reference = writer.expression(3);
      const auto filter = parsed(reference.text, columns_);
      QVERIFY(filter);
      const analysis::RowSet rows = filter->evaluate(trials, columns_);
      QCOMPARE(rows.size(), trials.size());
      for (std::int64_t row = 0; row < trials.size(); ++row)
        QVERIFY2(rows.test(row) == reference.passes(row),
                 fmt::format("row {} of {}", row, reference.text).c_str());

      const auto again = parsed(filter->text(), columns_);
      QVERIFY(again);
      QCOMPARE(again->text(), filter->text());
      QCOMPARE(again->evaluate(trials, columns_), rows);
    }
  }

  void new_trials_are_filtered_alone() {
    base::Random random = printed_random();
    const trial::Snapshot trials = random_trials(random, space_, 2000).snapshot();
    Writer writer(random, trials, columns_);
    for (int round = 0; round < 30; ++round) {
      const auto filter = parsed(writer.expression(2).text, columns_);
      QVERIFY(filter);
      trial::Table growing(space_.knobs().size());
      analysis::RowSet rows;
      while (growing.size() < trials.size()) {
        const std::int64_t before = growing.size();
        const auto more = static_cast<std::int64_t>(1 + random.below(600));
        for (std::int64_t row = before; row < std::min(before + more, trials.size()); ++row)
          growing.append(trials.row(row), trials.configuration(row));
        filter->extend(growing.snapshot(), columns_, rows, before);
      }
      QCOMPARE(rows, filter->evaluate(trials, columns_));
    }
  }

  void an_empty_filter_passes_all() {
    base::Random random = printed_random();
    const trial::Snapshot trials = random_trials(random, space_, 100).snapshot();
    QVERIFY(rows_of(" \n", trials).all());
    QCOMPARE(analysis::Filter::parse("", columns_)->text(), std::string());
    QCOMPARE(rows_of("ms < 1", {}).size(), 0);
  }

  void canonical_texts() {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"ms<2ms", "ms < 2"},
        {"ms < 0.5us", "ms < 0.0005"},
        {"ms < 500 \u00b5s", "ms < 0.5"},
        {"build_s > 300 ms", "build_s > 0.3"},
        {"build_s <= 0.5 min", "build_s <= 30"},
        {"gflops > 1.2 TFLOPS", "gflops > 1200"},
        {"GFLOPS>=1200 MFLOP/s", "gflops >= 1.2"},
        {"2 ms <= ms_q1", "ms_q1 >= 2"},
        {"300 ms > build_s", "build_s < 0.3"},
        {"ms in (1..2 s, 3ms)", "ms in (1000..2000, 3)"},
        {"ms in (500us..2)", "ms in (0.5..2)"},
        {"tile_oc[ 3 ] == 16", "tile_oc[3] = 16"},
        {"tile_oc=[4,1,8,2]", "tile_oc = [4, 1, 8, 2]"},
        {"tile_oc in ([4,1,8,2],\"[1, 1, 1, 64]\")", "tile_oc in ([4, 1, 8, 2], [1, 1, 1, 64])"},
        {"order = [ic, oc, oh]", "order = [ic, oc, oh]"},
        {"`valid` = \"[x, y, ], a b]\"", "`valid` = \"[x, y, ], a b]\""},
        {"order[ic] < order[oh]", "order[ic] < order[oh]"},
        {"error = 0", "valid"},
        {"Error != no_error", "invalid"},
        {"INVALID", "invalid"},
        {"error in (4, 5)", "error in (RUNTIME_DEVICE, WRONG_ANSWER)"},
        {"error in (4..7)", "error in (RUNTIME_DEVICE..RUN_TIMEOUT)"},
        {"error >= wrong_answer", "error >= WRONG_ANSWER"},
        {"cut_short", "cut_short = true"},
        {"not unroll", "not unroll = true"},
        {"unroll = 0", "unroll = false"},
        {"layout = 3x3", "layout = \"3x3\""},
        {"layout = 16", "layout = \"16\""},
        {"layout = valid", "layout = \"valid\""},
        {"layout = tile_oc", "layout = tile_oc"},
        {"layout in (nchw, NCHW)", "layout in (nchw, NCHW)"},
        {"layout = \"a \\\"b\\\" \\\\ `c`\"", "layout = \"a \\\"b\\\" \\\\ `c`\""},
        {"`odd \\`name\\` \\\\ [` = -3", "`odd \\`name\\` \\\\ [` = -3"},
        {"knob.ms = 1152921504606846977", "knob.ms = \"1152921504606846977\""},
        {"((valid))", "valid"},
        {"valid and (ms < 1 or ms > 2) and trial > 3", "valid and (ms < 1 or ms > 2) and trial > 3"},
        {"(valid and ms < 1) or trial = 1e2", "valid and ms < 1 or trial = 100"},
        {"! ! valid", "not not valid"},
        {"trial not in (1,3..5)", "trial not in (1, 3..5)"},
        {"spilled_bytes > 1.5 KiB", "spilled_bytes > 1536"},
        {"shared_bytes <= 1MiB", "shared_bytes <= 1048576"},
        {"shared_bytes in (1..2 KiB, 48 kB)", "shared_bytes in (1024..2048, 48000)"},
        {"spilled_bytes >= 12 B", "spilled_bytes >= 12"},
        {"occupancy < 50 %", "occupancy < 50"},
        {"occupancy in (12.5..25%, 50%)", "occupancy in (12.5..25, 50)"},
        {"100 % > occupancy", "occupancy < 100"},
        {"limited_by = registers", "limited_by = registers"},
        {"limited_by in (Threads, shared_memory)", "limited_by in (threads, shared_memory)"},
        {"spilled_bytes < shared_bytes", "spilled_bytes < shared_bytes"},
        {"registers >= 128 and threads = 256", "registers >= 128 and threads = 256"},
    };
    for (const auto& [text, canonical] : cases) {
      const auto filter = parsed(text, columns_);
      QVERIFY(filter);
      QCOMPARE(filter->text(), canonical);
      QCOMPARE(analysis::Filter::parse(canonical, columns_)->text(), canonical);
    }
  }

  void a_column_called_like_a_label_is_distinguished() {
    const std::vector<space::KnobValue> values{std::string("x"), std::string("y")};
    const auto space = space::SearchSpace::make(
        {*space::Knob::categorical("x", values), *space::Knob::categorical("Y", values)});
    QVERIFY(space);
    const analysis::TrialColumns columns(*space, 0);
    trial::Table table(2);
    for (const std::uint32_t index : {0U, 1U, 2U, 3U}) table.append({}, {{index % 2, index / 2}});
    const auto rows = [&](const std::string& text) {
      const auto filter = parsed(text, columns);
      return filter ? filter->evaluate(table.snapshot(), columns).rows() : std::vector<std::int64_t>{-1};
    };
    QCOMPARE(rows("x = y"), (std::vector<std::int64_t>{1, 3}));
    QCOMPARE(rows("x = `Y`"), (std::vector<std::int64_t>{0, 3}));
    QCOMPARE(rows("x = `x`").size(), 4U);
    for (const std::string text : {"x = y", "x = `Y`", "x != `x`"}) {
      QCOMPARE(parsed(text, columns)->text(), text);
    }
    const analysis::Column& column = columns.columns()[*columns.find("x")];
    QCOMPARE(rows(analysis::filter_one_of(column, {})).size(), 0U);
    QCOMPARE(rows(analysis::filter_equals(column, std::nan(""))).size(), 0U);
  }

  void none_passes_no_comparison() {
    trial::Table table(space_.knobs().size());
    const space::Configuration first{std::vector<std::uint32_t>(space_.knobs().size(), 0)};
    table.append({.sample_count = 1, .median_seconds = 0.001}, first);
    table.append({.category = trial::ErrorCategory::WrongAnswer}, first);
    const auto rows = [&](const char* text) { return rows_of(text, table.snapshot()).rows(); };
    using Rows = std::vector<std::int64_t>;
    QCOMPARE(rows("ms != 5"), Rows{0});
    QCOMPARE(rows("ms not in (5)"), Rows{0});
    QCOMPARE(rows("ms = ms"), Rows{0});
    QCOMPARE(rows("ms != ms"), Rows{});
    QCOMPARE(rows("not ms > 5"), (Rows{0, 1}));
    QCOMPARE(rows("not ms = ms"), Rows{1});
    QCOMPARE(rows("ms < build_s"), Rows{});
    QCOMPARE(rows("ms > build_s"), Rows{0});
  }

  void columns_of_two_units_are_converted() {
    trial::Table table(space_.knobs().size());
    const space::Configuration first{std::vector<std::uint32_t>(space_.knobs().size(), 0)};
    table.append({.sample_count = 1, .median_seconds = 0.5, .build_seconds = 0.4}, first);
    table.append({.sample_count = 1, .median_seconds = 0.5, .build_seconds = 0.6}, first);
    QCOMPARE(rows_of("ms < build_s", table.snapshot()).rows(), std::vector<std::int64_t>{1});
    QCOMPARE(rows_of("build_s < ms", table.snapshot()).rows(), std::vector<std::int64_t>{0});
  }
};

KERNELSCAPE_PLAIN_TEST(FilterTest)

}  // namespace kernelscape::analysis_filter_test
#include "analysis_filter_test.moc"
