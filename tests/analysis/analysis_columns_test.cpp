#include <QTest>
#include <cmath>
#include <set>

#include "core/analysis/columns.h"
#include "tests/analysis/random_trials.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_columns_test {

namespace {

double measured(const trial::Row& row, const std::string& name, double flops) {
  const bool timed = row.category == trial::ErrorCategory::NoError && row.sample_count > 0;
  const auto time = [&](double value) { return timed ? value : std::nan(""); };
  if (name == "trial") return static_cast<double>(row.number);
  if (name == "batch") return row.batch;
  if (name == "error") return static_cast<double>(row.category);
  if (name == "gflops") return time(flops / row.median_seconds / 1e9);
  if (name == "ms") return time(1000 * row.median_seconds);
  if (name == "ms_q1") return time(1000 * row.first_quartile_seconds);
  if (name == "ms_q3") return time(1000 * row.third_quartile_seconds);
  if (name == "samples") return row.sample_count;
  if (name == "samples_saved") return row.samples_saved;
  if (name == "build_s") return row.build_seconds;
  if (name == "run_s") return row.run_seconds;
  if (name == "finished_s") return row.finished_seconds;
  if (name == "cut_short") return row.cut_short ? 1 : 0;
  const auto resource = [&](auto number, bool zero_is_unknown) {
    const auto value = static_cast<double>(number);
    return row.resources && (value != 0 || !zero_is_unknown) ? value : std::nan("");
  };
  const trial::KernelResources resources = row.resources.value_or(trial::KernelResources());
  if (name == "registers") return resource(resources.registers, true);
  if (name == "spilled_bytes") return resource(resources.spilled_bytes, false);
  if (name == "shared_bytes") return resource(resources.shared_bytes, false);
  if (name == "threads") return resource(resources.threads, true);
  if (name == "occupancy") return resource(100 * resources.occupancy, true);
  if (name == "limited_by") return resource(resources.limited_by, true) - 1;
  throw std::invalid_argument(name);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::vector<std::string> names(const analysis::TrialColumns& columns) {
  std::vector<std::string> all;
  for (const analysis::Column& column : columns.columns()) all.push_back(column.name);
  return all;
}

}  // namespace

class ColumnsTest : public QObject {
  Q_OBJECT

 private slots:
  void a_space_makes_these_columns() {
    const analysis::TrialColumns columns(space_of_all_kinds(), 1e9);
    const std::vector<std::string> expected{
        "trial",      "batch",       "error",         "gflops",          "ms",         "ms_q1",
        "ms_q3",      "samples",     "samples_saved", "build_s",         "run_s",      "finished_s",
        "cut_short",  "tile_oc",     "tile_oc[0]",    "tile_oc[1]",      "tile_oc[2]", "tile_oc[3]",
        "order",      "order[ic]",   "order[oh]",     "order[oc]",       "step",       "share",
        "unroll",     "layout",      "mixed",         "odd `name` \\ [", "knob.ms",    "valid",
        "valid[a b]", "valid[x, y]", "valid[]]"};
    QCOMPARE(names(columns), expected);
    for (std::size_t column = 0; column < expected.size(); ++column)
      QCOMPARE(columns.find(expected[column]), column);
    QVERIFY(!columns.find("tile_oc[4]"));
    QVERIFY(!analysis::TrialColumns(space_of_all_kinds(), 0).find("gflops"));

    const auto start = [&](std::size_t knob) { return expected[columns.default_column(knob)]; };
    QCOMPARE(start(0), std::string("tile_oc[3]"));
    QCOMPARE(start(1), std::string("order[ic]"));
    QCOMPARE(start(2), std::string("step"));
    QCOMPARE(start(8), std::string("knob.ms"));
  }

  void objectives_of_files_have_columns_of_their_own() {
    const analysis::TrialColumns columns(space_of_all_kinds(), 1e9, false, {}, true);
    const auto title = [&](const char* name) { return columns.columns()[columns.find(name).value()].title; };
    QCOMPARE(title("ms"), std::string("objective"));
    QCOMPARE(title("objective"), std::string("objective is"));
    QCOMPARE(title("ms_median"), std::string("sample median"));
    QCOMPARE(title("ms_q1"), std::string("sample first quartile"));
    trial::Trial trial;
    trial.configuration.indices.assign(space_of_all_kinds().knobs().size(), 0);
    trial.measurement.samples_seconds = {1e-3, 2e-3, 3e-3, 10e-3};
    trial.measurement.recorded_seconds = 4e-3;
    trial::Table table(trial.configuration.indices.size());
    table.append(trial::make_row(trial, 0), trial.configuration);
    const trial::Snapshot trials = table.snapshot();
    const auto text = [&](const char* name) { return columns.text(trials, 0, columns.find(name).value()); };
    QCOMPARE(text("ms"), std::string("4"));
    QCOMPARE(text("objective"), std::string("mean"));
    QCOMPARE(text("ms_median"), std::string("2.5"));
    QVERIFY(!analysis::TrialColumns(space_of_all_kinds(), 1e9).find("objective"));
  }

  void gpu_kernels_have_more_columns() {
    const std::vector<std::string> without = names(analysis::TrialColumns(space_of_all_kinds(), 1e9));
    std::vector<std::string> expected = without;
    const auto knobs = std::ranges::find(expected, "tile_oc");
    expected.insert(knobs,
                    {"registers", "spilled_bytes", "shared_bytes", "threads", "occupancy", "limited_by"});
    const analysis::TrialColumns columns(space_of_all_kinds(), 1e9, true);
    QCOMPARE(names(columns), expected);
    QCOMPARE(columns.columns()[columns.default_column(0)].name, std::string("tile_oc[3]"));
    // A knob of that name stays beside it.
    const space::SearchSpace space =
        *space::SearchSpace::make({*space::Knob::factorization("threads", 64, 2)});
    QVERIFY(analysis::TrialColumns(space, 1e9, true).find("knob.threads"));
    QVERIFY(!analysis::TrialColumns(space, 1e9).find("knob.threads"));
  }

  void workers_of_a_fleet_are_labels() {
    const space::SearchSpace space = *space::SearchSpace::make({*space::Knob::ordinal("worker", {1, 2})});
    QVERIFY(analysis::TrialColumns(space, 1e9).find("worker").has_value());  // the knob
    QVERIFY(!analysis::TrialColumns(space, 1e9).find(trial::Measured::Worker));
    const analysis::TrialColumns columns(space, 1e9, false,
                                         std::vector<std::string>{"alder-cpu-1", "birch-cpu-2"});
    QVERIFY(columns.find("knob.worker").has_value());
    const std::size_t column = columns.find(trial::Measured::Worker).value();
    QCOMPARE(columns.columns()[column].kind, analysis::ColumnKind::Label);
    QCOMPARE(columns.usual_columns(true).back(), column);
    trial::Table table(1);
    for (const int worker : {2, 0, 1}) {
      trial::Row row;
      row.worker = static_cast<std::uint16_t>(worker);
      table.append(row, {{0}});
    }
    const trial::Snapshot trials = table.snapshot();
    QCOMPARE(columns.text(trials, 0, column), std::string("birch-cpu-2"));
    QCOMPARE(columns.text(trials, 1, column), std::string());
    QCOMPARE(columns.text(trials, 2, column), std::string("alder-cpu-1"));
    // Before the first one came it is there, too: columns keep their places.
    const analysis::TrialColumns early(space, 1e9, false, std::vector<std::string>());
    QCOMPARE(early.find(trial::Measured::Worker), std::optional(column));
  }

  void tables_start_with_what_was_measured_and_end_with_its_cost() {
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::factorization("a", 64, 2), *space::Knob::ordinal("b", {1, 2})});
    const auto usual = [&](const analysis::TrialColumns& columns, bool with_runs) {
      std::vector<std::string> all;
      for (const std::size_t position : columns.usual_columns(with_runs))
        all.push_back(columns.columns()[position].name);
      return all;
    };
    using Names = std::vector<std::string>;
    const analysis::TrialColumns of_gpu(space, 1e9, true);
    QCOMPARE(usual(of_gpu, true),
             (Names{"trial", "gflops", "ms", "error", "occupancy", "limited_by", "registers", "spilled_bytes",
                    "shared_bytes", "threads", "a", "b", "build_s", "run_s"}));
    QCOMPARE(usual(of_gpu, false), (Names{"trial", "error", "occupancy", "limited_by", "registers",
                                          "spilled_bytes", "shared_bytes", "threads", "a", "b", "build_s"}));
    QCOMPARE(usual(analysis::TrialColumns(space, 0), true),
             (Names{"trial", "ms", "error", "a", "b", "build_s", "run_s"}));
  }

  void resources_read_as_tables_show_them() {
    const space::SearchSpace space = *space::SearchSpace::make({*space::Knob::factorization("a", 64, 2)});
    trial::Table table(1);
    table.append({.resources = trial::KernelResources{.registers = 96,
                                                      .spilled_bytes = 0,
                                                      .shared_bytes = 49152,
                                                      .threads = 256,
                                                      .occupancy = 0.3125,
                                                      .limited_by = trial::OccupancyLimit::SharedMemory}},
                 {{0}});
    table.append({.resources = trial::KernelResources{}}, {{1}});
    table.append({.category = trial::ErrorCategory::CompileDevice}, {{2}});
    const analysis::TrialColumns columns(space, 1e9, true);
    const auto texts = [&](const char* name) {
      std::vector<std::string> all;
      for (std::int64_t row = 0; row < 3; ++row)
        all.push_back(columns.text(table.snapshot(), row, *columns.find(name)));
      return all;
    };
    using Texts = std::vector<std::string>;
    QCOMPARE(texts("registers"), (Texts{"96", "", ""}));
    QCOMPARE(texts("spilled_bytes"), (Texts{"0", "0", ""}));
    QCOMPARE(texts("shared_bytes"), (Texts{"49152", "0", ""}));
    QCOMPARE(texts("threads"), (Texts{"256", "", ""}));
    QCOMPARE(texts("occupancy"), (Texts{"31.25", "", ""}));
    QCOMPARE(texts("limited_by"), (Texts{"shared_memory", "", ""}));
  }

  void kinds_follow_from_the_values() {
    const analysis::TrialColumns columns(space_of_all_kinds(), 1e9);
    const auto column = [&](const char* name) { return columns.columns()[*columns.find(name)]; };
    QVERIFY(column("tile_oc").kind == analysis::ColumnKind::Label);
    QVERIFY(column("tile_oc[3]").kind == analysis::ColumnKind::Integer && column("tile_oc[3]").logarithmic);
    QVERIFY(column("order[ic]").kind == analysis::ColumnKind::Integer && !column("order[ic]").logarithmic);
    QVERIFY(column("step").kind == analysis::ColumnKind::Integer && !column("step").logarithmic);
    QVERIFY(column("share").kind == analysis::ColumnKind::Real && column("share").logarithmic);
    QVERIFY(column("unroll").labels == (analysis::ColumnLabels{"false", "true"}));
    QVERIFY(column("mixed").labels == (analysis::ColumnLabels{"1", "1 (2)", "true"}));
    // Doubles cannot tell these two apart.
    QVERIFY(column("knob.ms").labels ==
            (analysis::ColumnLabels{"1152921504606846976", "1152921504606846977"}));
  }

  void values_are_what_rows_and_knobs_say() {
    base::Random random = printed_random();
    const space::SearchSpace space = space_of_all_kinds();
    const double flops = 2.5e9;
    const analysis::TrialColumns columns(space, flops, true);
    const trial::Snapshot trials = random_trials(random, space, 3000).snapshot();
    for (std::size_t position = 0; position < columns.columns().size(); ++position) {
      const analysis::Column& column = columns.columns()[position];
      const auto first = static_cast<std::int64_t>(random.below(3001));
      const auto last =
          first + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(3001 - first)));
      const std::vector<double> values = columns.values(trials, first, last, position);
      QCOMPARE(values.size(), static_cast<std::size_t>(last - first));
      for (std::int64_t row = first; row < last; ++row) {
        const double value = values[static_cast<std::size_t>(row - first)];
        QVERIFY(same(value, columns.value(trials, row, position)));
        if (!column.knob) {
          QVERIFY(same(value, measured(trials.row(row), column.name, flops)));
          continue;
        }
        const space::Knob& knob = space.knobs()[*column.knob];
        const std::uint32_t index = trials.knob_index(row, *column.knob);
        QCOMPARE(value, columns.value_of_index(position, index));
        if (column.element < 0) continue;
        if (knob.kind() == space::KnobKind::Factorization)
          QCOMPARE(value, static_cast<double>(knob.element(index, column.element)));
        else
          QCOMPARE(knob.element(index, static_cast<int>(value)), column.element);
      }
    }
  }

  void texts_are_those_of_tables() {
    base::Random random = printed_random();
    const space::SearchSpace space = space_of_all_kinds();
    const analysis::TrialColumns columns(space, 1e9);
    const trial::Snapshot trials = random_trials(random, space, 500).snapshot();
    const auto text = [&](std::int64_t row, const char* name) {
      return columns.text(trials, row, *columns.find(name));
    };
    for (std::int64_t row = 0; row < trials.size(); ++row) {
      const space::Configuration configuration = trials.configuration(row);
      QCOMPARE(text(row, "trial"), std::to_string(row));
      QCOMPARE(text(row, "error"), std::string(trial::to_string(trials.row(row).category)));
      QCOMPARE(text(row, "ms").empty(), trials.row(row).sample_count == 0);
      for (const char* name : {"tile_oc", "order", "step", "share", "unroll", "layout", "valid"}) {
        const std::size_t knob = *space.find_knob(name);
        QCOMPARE(text(row, name), space.knobs()[knob].describe(configuration.indices[knob]));
      }
      QCOMPARE(text(row, "tile_oc[1]"),
               std::to_string(space.knobs()[0].element(configuration.indices[0], 1)));
    }
  }

  /** Whose labels and values are made as they are asked for. */
  void knobs_with_many_values() {
    base::Random random = printed_random();
    std::vector<std::string> items;
    for (char name = 'a'; name <= 'i'; ++name) items.emplace_back(1, name);
    const space::Knob order = *space::Knob::permutation("order", items);
    const space::Knob tile = *space::Knob::factorization("tile", std::int64_t{1} << 21, 6);
    const space::SearchSpace space = *space::SearchSpace::make({order, tile});
    const analysis::TrialColumns columns(space, 1e9);
    const auto column = [&](const char* name) { return *columns.find(name); };
    for (int i = 0; i < 100; ++i) {
      const auto index = static_cast<std::uint32_t>(random.below(order.count()));
      QCOMPARE(columns.value_of_index(column("order"), index), static_cast<double>(index));
      QCOMPARE(columns.columns()[column("order")].labels.at(index), order.describe(index));
      const auto place = static_cast<int>(columns.value_of_index(column("order[c]"), index));
      QCOMPARE(order.element(index, place), std::int64_t{2});
    }
    for (const space::Knob& knob : {order, tile}) {
      const analysis::ColumnLabels& labels = columns.columns()[column(knob.name().c_str())].labels;
      QCOMPARE(labels.size(), std::size_t{knob.count()});
      QCOMPARE(labels.first(2), (std::vector<std::string>{knob.describe(0), knob.describe(1)}));
      QVERIFY_EXCEPTION_THROWN((void)labels.at(knob.count()), std::out_of_range);
      QVERIFY_EXCEPTION_THROWN((void)columns.value_of_index(column(knob.name().c_str()), knob.count()),
                               std::out_of_range);
    }
    const trial::Snapshot trials = random_trials(random, space, 20).snapshot();
    for (std::int64_t row = 0; row < trials.size(); ++row)
      QCOMPARE(columns.text(trials, row, column("order")), order.describe(trials.knob_index(row, 0)));
  }

  void measured_numbers_have_four_digits() {
    trial::Table table(space_of_all_kinds().knobs().size());
    const space::Configuration first{std::vector<std::uint32_t>(space_of_all_kinds().knobs().size(), 0)};
    for (const double seconds : {0.0123456, 0.00068, 1234.5678, 12345678.9, 0.00001})
      table.append({.sample_count = 3, .median_seconds = seconds / 1000, .build_seconds = seconds}, first);
    const analysis::TrialColumns columns(space_of_all_kinds(), 341234.4);
    const trial::Snapshot trials = table.snapshot();
    const auto text = [&](std::int64_t row, const char* name) {
      return columns.text(trials, row, *columns.find(name));
    };
    QCOMPARE(text(0, "ms"), std::string("0.01235"));
    QCOMPARE(text(1, "build_s"), std::string("0.00068"));
    QCOMPARE(text(2, "build_s"), std::string("1235"));
    QCOMPARE(text(3, "build_s"), std::string("12345679"));
    QCOMPARE(text(4, "build_s"), std::string("1e-05"));
  }
};

KERNELSCAPE_PLAIN_TEST(ColumnsTest)

}  // namespace kernelscape::analysis_columns_test
#include "analysis_columns_test.moc"
