#include "ui/views/trials/kernel_pair_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "core/base/quantile.h"
#include "ui/style/numbers.h"
#include "ui/views/trials/why_text.h"

namespace kernelscape::views {
namespace {

constexpr int ratio_digits_shown = 3;

QString pair_text(const char* text) { return QCoreApplication::translate("kernelscape::KernelPair", text); }

PairFact heading_fact(const QString& what) { return {.what = what, .a = {}, .b = {}, .heading = true}; }

const measure::KernelInsight* insight_of(const workspace::PairedKernel& kernel) {
  return kernel.insight ? &kernel.insight->kernel : nullptr;
}

const machine_code::MachineLoop* hot_loop_of(const workspace::PairedKernel& kernel) {
  return kernel.insight ? kernel.insight->kernel.shown_code().hot() : nullptr;
}

/** Returns the quartiles of the time: "0.68 ms (0.67 ms – 0.69 ms)". */
QString time_with_quartiles(const workspace::PairedKernel& kernel) {
  if (kernel.samples_seconds.empty()) return style::no_number();
  const auto at = [&](double q) {
    return style::format_quantity(base::quantile(kernel.samples_seconds, q), QStringLiteral("s"));
  };
  if (kernel.samples_seconds.size() == 1) return at(0.5);
  return QStringLiteral("%1 (%2 – %3)").arg(at(0.5), at(0.25), at(0.75));
}

QString speed_with_quartiles(const workspace::SourceData& source, const workspace::PairedKernel& kernel) {
  if (kernel.samples_seconds.empty()) return style::no_number();
  const auto at = [&](double q) {
    return style::format_quantity(
        workspace::speed_of(source, base::quantile(kernel.samples_seconds, q)) * style::giga,
        QStringLiteral("FLOPS"));
  };
  if (kernel.samples_seconds.size() == 1) return at(0.5);
  // A higher speed is a shorter time: the third quartile of the time is the first quartile of the speed.
  return QStringLiteral("%1 (%2 – %3)").arg(at(0.5), at(0.75), at(0.25));
}

QString outcome_text(const workspace::PairedKernel& kernel) {
  const trial::Measurement& measurement = kernel.details.trial.measurement;
  return measurement.valid() ? pair_text("valid")
                             : QString::fromUtf8(trial::to_string(measurement.category).data());
}

void add_speeds(std::vector<PairFact>& facts, const workspace::KernelPair& pair) {
  facts.push_back(heading_fact(pair_text("Speed")));
  const auto count = [](const workspace::PairedKernel& kernel) {
    return style::format_count(static_cast<std::int64_t>(kernel.samples_seconds.size()));
  };
  facts.push_back({pair_text("outcome"), outcome_text(pair.a), outcome_text(pair.b)});
  facts.push_back(
      {pair_text("time per call, quartiles"), time_with_quartiles(pair.a), time_with_quartiles(pair.b)});
  if (pair.source->flops() > 0)
    facts.push_back({pair_text("speed, quartiles"), speed_with_quartiles(*pair.source, pair.a),
                     speed_with_quartiles(*pair.source, pair.b)});
  facts.push_back({pair_text("samples"), count(pair.a), count(pair.b)});
}

void add_knobs(std::vector<PairFact>& facts, const workspace::KernelPair& pair) {
  facts.push_back(
      heading_fact(pair.knobs.empty() ? pair_text("No knob differs") : pair_text("Knobs that differ")));
  for (const std::size_t knob : pair.knobs) {
    const space::Knob& of = pair.source->space().knobs()[knob];
    const auto value = [&](const workspace::PairedKernel& kernel) {
      return QString::fromStdString(of.describe(kernel.details.trial.configuration.indices[knob]));
    };
    facts.push_back({QString::fromStdString(of.name()), value(pair.a), value(pair.b)});
  }
}

/** Adds the facts of both kernels, joined by name; a missing fact is shown as a dash. */
void add_joined(std::vector<PairFact>& facts, const std::vector<InsightFact>& a,
                const std::vector<InsightFact>& b) {
  const auto value_in = [](const std::vector<InsightFact>& those, const QString& name) {
    const auto found = std::ranges::find(those, name, &InsightFact::name);
    return found == those.end() ? style::no_number() : found->value;
  };
  for (const InsightFact& fact : a)
    facts.push_back({fact.name, fact.value, value_in(b, fact.name), fact.explanation});
  for (const InsightFact& fact : b)
    if (std::ranges::find(a, fact.name, &InsightFact::name) == a.end())
      facts.push_back({fact.name, style::no_number(), fact.value, fact.explanation});
}

/** Adds the numbers per multiply-add instruction. */
void add_loop_ratios(std::vector<PairFact>& facts, const machine_code::MachineLoop& a,
                     const machine_code::MachineLoop& b) {
  const std::optional<session::LoopRatios> of_a = session::loop_ratios(a.mix);
  const std::optional<session::LoopRatios> of_b = session::loop_ratios(b.mix);
  const auto add = [&](const char* what, double session::LoopRatios::* number, const char* explanation) {
    const auto text = [number](const std::optional<session::LoopRatios>& of) {
      return of ? style::format_number((*of).*number, ratio_digits_shown) : style::no_number();
    };
    facts.push_back({pair_text(what), text(of_a), text(of_b), pair_text(explanation)});
  };
  add("lanes of a multiply-add", &session::LoopRatios::lanes,
      "Products that one multiply-add instruction adds.");
  add("instructions per multiply-add", &session::LoopRatios::instructions,
      "Instructions of any kind in an iteration, per multiply-add instruction.");
  add("memory reads per multiply-add", &session::LoopRatios::reads,
      "Loads and memory operands, per multiply-add instruction.");
  add("shuffles per multiply-add", &session::LoopRatios::shuffles,
      "Moves between lanes or registers, per multiply-add instruction.");
  add("bytes loaded per product", &session::LoopRatios::bytes,
      "Products are counted per lane. Fewer bytes mean more reuse.");
}

void add_bounds_of(std::vector<PairFact>& facts, const workspace::KernelPair& pair) {
  const measure::KernelInsight* a = insight_of(pair.a);
  const measure::KernelInsight* b = insight_of(pair.b);
  const machine_code::LoopBound* of_a = a != nullptr ? a->bound() : nullptr;
  const machine_code::LoopBound* of_b = b != nullptr ? b->bound() : nullptr;
  if (of_a == nullptr && of_b == nullptr) return;
  facts.push_back(heading_fact(pair_text("Bound of the hot loop, data in the first cache")));
  const auto add = [&](const char* what, auto text_of_bound) {
    facts.push_back({pair_text(what), of_a != nullptr ? text_of_bound(*of_a) : style::no_number(),
                     of_b != nullptr ? text_of_bound(*of_b) : style::no_number()});
  };
  add("bound by", [](const machine_code::LoopBound& bound) {
    return QString::fromUtf8(machine_code::name_of(bound.resource).data(),
                             static_cast<qsizetype>(machine_code::name_of(bound.resource).size()));
  });
  add("cycles per iteration",
      [](const machine_code::LoopBound& bound) { return style::format_number(bound.cycles); });
  add("products in a cycle, at most", [](const machine_code::LoopBound& bound) {
    return style::format_number(bound.multiply_adds_per_cycle, ratio_digits_shown);
  });
  add("says", [](const machine_code::LoopBound& bound) {
    return QStringLiteral("%1, %2").arg(QString::fromStdString(bound.by),
                                        QString::fromStdString(bound.processor));
  });
}

std::int64_t registers_of_target(const workspace::SourceData& source) {
  const std::optional<schedule::TargetDescription>& target = source.origin->target;
  return target && target->kind == schedule::TargetKind::Cpu ? target->vector_registers : 0;
}

void add_code(std::vector<PairFact>& facts, const workspace::KernelPair& pair) {
  const measure::KernelInsight* a = insight_of(pair.a);
  const measure::KernelInsight* b = insight_of(pair.b);
  if (a == nullptr && b == nullptr) return;
  const std::int64_t registers = registers_of_target(*pair.source);
  const auto mix = [registers](const measure::KernelInsight* insight) {
    return insight != nullptr ? mix_facts(*insight, insight->shown_code(), registers)
                              : std::vector<InsightFact>();
  };
  facts.push_back(heading_fact(pair_text("An iteration of the hot loop")));
  const machine_code::MachineLoop* hot_a = hot_loop_of(pair.a);
  const machine_code::MachineLoop* hot_b = hot_loop_of(pair.b);
  if (hot_a != nullptr && hot_b != nullptr) add_loop_ratios(facts, *hot_a, *hot_b);
  add_joined(facts, mix(a), mix(b));
  add_bounds_of(facts, pair);
}

void add_counters(std::vector<PairFact>& facts, const workspace::KernelPair& pair) {
  const auto counted = [](const workspace::PairedKernel& kernel) {
    return kernel.insight && kernel.insight->counters ? counter_facts(*kernel.insight->counters)
                                                      : std::vector<InsightFact>();
  };
  const std::vector<InsightFact> a = counted(pair.a);
  const std::vector<InsightFact> b = counted(pair.b);
  if (a.empty() && b.empty()) return;
  facts.push_back(heading_fact(pair_text("Counted while it ran, per call")));
  add_joined(facts, a, b);
}

QString trial_text(const workspace::KernelPair& pair, const char* name,
                   const workspace::PairedKernel& kernel) {
  QString text =
      pair_text("%1: trial %2").arg(QLatin1String(name), style::format_count(kernel.details.trial.number));
  if (kernel.details.row == pair.source->headline.row) text += pair_text(", the best");
  return text;
}

}  // namespace

std::vector<PairFact> pair_facts(const workspace::KernelPair& pair) {
  std::vector<PairFact> facts;
  add_speeds(facts, pair);
  add_knobs(facts, pair);
  add_code(facts, pair);
  add_counters(facts, pair);
  return facts;
}

QString pair_title(const workspace::KernelPair& pair) {
  return trial_text(pair, "A", pair.a) + QStringLiteral(" · ") + trial_text(pair, "B", pair.b);
}

QString pair_notes(const workspace::KernelPair& pair) {
  QStringList notes;
  if (!pair.a.samples_seconds.empty() && !pair.b.samples_seconds.empty())
    notes.append(pair.interleaved
                     ? pair_text("Both were measured again, alternately. These samples are compared.")
                     : pair_text("The samples were taken when each trial was measured, not alternately, so "
                                 "they include changes of the machine's state in between."));
  for (const workspace::PairedKernel* kernel : {&pair.a, &pair.b}) {
    const QString name = kernel == &pair.a ? QStringLiteral("A") : QStringLiteral("B");
    if (!kernel->insight)
      notes.append(pair_text("The instructions of %1 are not known: %2")
                       .arg(name, QString::fromStdString(kernel->insight_problem)));
    else
      for (const std::string& note : kernel->insight->kernel.notes)
        notes.append(QStringLiteral("%1: %2").arg(name, QString::fromStdString(note)));
  }
  return notes.join(QLatin1Char('\n'));
}

QString hot_loop_text(const workspace::PairedKernel& kernel) {
  const machine_code::MachineLoop* hot = hot_loop_of(kernel);
  if (hot == nullptr) return {};
  return QString::fromStdString(kernel.insight->kernel.shown_code().text(hot->first_line, hot->last_line));
}

}  // namespace kernelscape::views
