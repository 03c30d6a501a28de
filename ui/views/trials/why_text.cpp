#include "ui/views/trials/why_text.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/base/text.h"
#include "ui/models/trial_values.h"
#include "ui/style/numbers.h"
#include "ui/views/trials/instruction_listing.h"

namespace kernelscape::views {
namespace {

QString why_text(const char* text) { return QCoreApplication::translate("WhyPanel", text); }

QString text_of(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

constexpr int cycle_digits = 3;

QString explanation_of(machine_code::InstructionClass instruction_class) {
  switch (instruction_class) {
    case machine_code::InstructionClass::MultiplyAdd:
      return why_text("Multiplies and adds in one instruction, in all lanes of a vector at once.");
    case machine_code::InstructionClass::Arithmetic:
      return why_text("Other arithmetic on vectors or floating-point numbers.");
    case machine_code::InstructionClass::Load:
      return why_text("Reads memory into a register; broadcasts from memory are among them.");
    case machine_code::InstructionClass::Store:
      return why_text("Writes a register to memory.");
    case machine_code::InstructionClass::SpillLoad:
      return why_text("Reads back values that did not fit into the registers and were put on the stack.");
    case machine_code::InstructionClass::SpillStore:
      return why_text("Puts values on the stack that do not fit into the registers.");
    case machine_code::InstructionClass::Shuffle:
      return why_text("Moves values between lanes or registers: permutes, broadcasts, conversions.");
    case machine_code::InstructionClass::Integer:
      return why_text("Computes addresses and counts iterations.");
    case machine_code::InstructionClass::Branch:
      return why_text("Jumps; each iteration ends with one.");
    case machine_code::InstructionClass::Barrier:
      return why_text("Waits until all threads of the block have reached this instruction.");
    case machine_code::InstructionClass::Other:
      return why_text("Instructions of unknown kind.");
  }
  return {};
}

QString explanation_of(machine_code::BoundResource resource) {
  switch (resource) {
    case machine_code::BoundResource::MultiplyAddPorts:
      return why_text(
          "Cycles that the units which multiply and add are busy with one iteration. A loop that they bound "
          "runs at the peak of the core.");
    case machine_code::BoundResource::VectorPorts:
      return why_text("Cycles that all units for vectors need: shuffles, moves and arithmetic too.");
    case machine_code::BoundResource::LoadPorts:
      return why_text(
          "Cycles that the units which read memory are busy with one iteration. More multiply-adds for each "
          "loaded value help: larger tiles in registers.");
    case machine_code::BoundResource::StorePorts:
      return why_text("Cycles that the units which write memory are busy with one iteration.");
    case machine_code::BoundResource::Latency:
      return why_text(
          "The longest chain of results that each iteration hands to the next. More accumulators, which do "
          "not "
          "wait for each other, shorten it.");
    case machine_code::BoundResource::FrontEnd:
      return why_text("Cycles in which the core begins all instructions of one iteration.");
    case machine_code::BoundResource::Ports:
      return why_text("Cycles of the busiest unit in the simulation of one iteration.");
  }
  return {};
}

InsightFact fact(const QString& name, const QString& value, const QString& explanation,
                 bool warning = false) {
  return {name, value, explanation, warning};
}

QString of_at_most(int count, std::int64_t most) {
  return most > 0 ? why_text("%1 of %2").arg(style::format_count(count), style::format_count(most))
                  : style::format_count(count);
}

void add_class_facts(std::vector<InsightFact>& facts, const machine_code::InstructionMix& mix) {
  for (std::size_t place = 0; place < machine_code::instruction_class_count; ++place) {
    const auto of = static_cast<machine_code::InstructionClass>(place);
    const bool spill =
        of == machine_code::InstructionClass::SpillLoad || of == machine_code::InstructionClass::SpillStore;
    if (mix.of(of) == 0) continue;
    facts.push_back(fact(text_of(machine_code::plural_of(of)), style::format_count(mix.of(of)),
                         explanation_of(of), spill));
  }
}

/** Adds the facts about registers; a GPU has only one kind of registers. */
void add_register_facts(std::vector<InsightFact>& facts, const machine_code::InstructionMix& mix, bool gpu,
                        std::int64_t vector_registers) {
  if (!gpu)
    facts.push_back(fact(why_text("vector registers"), of_at_most(mix.vector_registers, vector_registers),
                         why_text("Different vector registers that the loop uses, of those that the target "
                                  "has. If all are used, a larger tile spills.")));
  if (gpu)
    facts.push_back(fact(why_text("registers named"), style::format_count(mix.vector_registers),
                         why_text("Different registers that the loop uses.")));
  if (mix.general_registers > 0)
    facts.push_back(fact(why_text("general registers"), style::format_count(mix.general_registers),
                         why_text("Registers for addresses and counters, without the stack's.")));
  facts.push_back(fact(why_text("accumulators"), style::format_count(mix.accumulators),
                       why_text("Different registers that multiply-adds write. Each waits only for itself: "
                                "units times latency of them keep all units busy.")));
}

void add_compiler_facts(std::vector<InsightFact>& facts, const trial::KernelResources& resources) {
  if (resources.registers > 0)
    facts.push_back(fact(why_text("registers of a thread"), style::format_count(resources.registers),
                         why_text("As the compiler reports for the whole kernel.")));
  facts.push_back(fact(why_text("spilled by a thread"), models::spilled_text(resources),
                       why_text("Memory for values that did not fit into the registers."),
                       resources.spills()));
  if (resources.occupancy > 0)
    facts.push_back(fact(why_text("occupancy"), style::format_percent(resources.occupancy),
                         why_text("Resident threads of a multiprocessor, as a share of its maximum.")));
}

QString cycles_text(double cycles) {
  return why_text("%1 cycles").arg(style::format_number(cycles, cycle_digits));
}

/** Returns the source of a bound: "llvm-mca 14.0.6 for Zen 3". */
QString said_by(const machine_code::LoopBound& bound) {
  QString text = text_of(bound.by);
  if (!bound.processor.empty()) text += why_text(" for %1").arg(text_of(bound.processor));
  if (bound.assumed) text += why_text(", the nearest known processor");
  return text;
}

std::string_view comment_sign(machine_code::MachineLanguage language) {
  return language == machine_code::MachineLanguage::X86 ? "# " : "// ";
}

}  // namespace

QString bound_sentence(const measure::KernelInsight& insight) {
  if (!insight.code_problem.empty())
    return why_text("The bound is not known, because the instructions are not known.");
  const machine_code::MachineLoop* hot = insight.shown_code().hot();
  if (!hot) return why_text("This code has no loop: all of it is shown.");
  const machine_code::LoopBound* bound = insight.bound();
  if (!bound) {
    return why_text("The hot loop has %1 instructions, %2 of them multiply-adds.")
        .arg(style::format_count(hot->mix.instructions()),
             style::format_count(hot->mix.of(machine_code::InstructionClass::MultiplyAdd)));
  }
  QString text = why_text("Bound by %1: %2 for %3 multiply-add instructions (%4)")
                     .arg(text_of(machine_code::name_of(bound->resource)), cycles_text(bound->cycles),
                          style::format_count(hot->mix.of(machine_code::InstructionClass::MultiplyAdd)),
                          said_by(*bound));
  for (std::size_t place = 1; place < insight.bounds.size(); ++place) {
    const machine_code::LoopBound& other = insight.bounds[place];
    text += why_text("; by %1 %2").arg(text_of(other.by), cycles_text(other.cycles));
    if (other.resource != bound->resource)
      text += why_text(", bound by %1").arg(text_of(machine_code::name_of(other.resource)));
  }
  return text + QLatin1Char('.');
}

std::vector<ResourceCycles> resource_cycles(const machine_code::LoopBound& bound) {
  std::vector<ResourceCycles> bars;
  for (const machine_code::BoundPart& part : bound.parts) {
    QString name = text_of(machine_code::name_of(part.resource));
    if (!part.unit.empty()) name += QStringLiteral(" (%1)").arg(text_of(part.unit));
    bars.push_back({name, explanation_of(part.resource), part.cycles, part.resource == bound.resource});
  }
  return bars;
}

std::vector<InsightFact> mix_facts(const measure::KernelInsight& insight,
                                   const machine_code::MachineCode& code, std::int64_t vector_registers) {
  const machine_code::MachineLoop* hot = code.hot();
  const machine_code::InstructionMix& mix = hot ? hot->mix : code.mix;
  const bool gpu = code.language == machine_code::MachineLanguage::Ptx ||
                   code.language == machine_code::MachineLanguage::Sass;
  std::vector<InsightFact> facts;
  if (mix.spills() == 0)
    facts.push_back(fact(why_text("spills"), why_text("none"),
                         why_text("Values that do not fit into the registers and go through the stack.")));
  add_class_facts(facts, mix);
  if (mix.spilled_operands > 0)
    facts.push_back(fact(why_text("operands on the stack"), style::format_count(mix.spilled_operands),
                         why_text("Operands of other instructions that did not fit the registers."), true));
  facts.push_back(fact(why_text("multiply-adds, lanes counted"), style::format_count(mix.multiply_adds),
                       why_text("Products that are added in one iteration.")));
  facts.push_back(fact(why_text("bytes loaded"), style::format_count(mix.bytes_loaded),
                       why_text("Read from memory in one iteration, the stack included.")));
  facts.push_back(fact(why_text("bytes stored"), style::format_count(mix.bytes_stored),
                       why_text("Written to memory in one iteration, the stack included.")));
  add_register_facts(facts, mix, gpu, vector_registers);
  if (insight.resources) add_compiler_facts(facts, *insight.resources);
  return facts;
}

std::vector<InsightFact> counter_facts(const trial::CounterReading& reading) {
  std::vector<InsightFact> facts;
  const auto add = [&](const char* name, const std::optional<double>& value, const char* explanation) {
    if (value) facts.push_back(fact(why_text(name), style::format_number(*value), why_text(explanation)));
  };
  add("cycles", reading.cycles, "Of all threads, in one call of the kernel.");
  add("instructions", reading.instructions, "Finished by all threads, in one call of the kernel.");
  add("instructions per cycle", reading.instructions_per_cycle(),
      "Finished per cycle of a core, on average.");
  add("L1 misses", reading.l1_misses, "Loads that missed the first cache, in one call.");
  add("L2 misses", reading.l2_misses, "Requests that missed the second cache, in one call.");
  add("misses of the last cache", reading.llc_misses, "Loads that missed all caches, in one call.");
  add("TLB misses", reading.tlb_misses,
      "Loads whose page was not in the processor's table of pages, in one call.");
  add("stalled cycles", reading.stalled_cycles,
      "Cycles in which no instruction finished because it waited for data.");
  for (const trial::MissingCounter& missing : reading.missing)
    facts.push_back(fact(QString::fromStdString(missing.name), why_text("not counted"),
                         QString::fromStdString(
                             missing.hint.empty() ? missing.reason : missing.reason + "; " + missing.hint)));
  return facts;
}

QString missing_counters_text(const trial::CounterReading& reading) {
  QStringList sentences;
  std::vector<trial::MissingCounter> left = reading.missing;
  while (!left.empty()) {
    const trial::MissingCounter first = left.front();
    QStringList names;
    for (const trial::MissingCounter& counter : left)
      if (counter.reason == first.reason) names.append(text_of(counter.name));
    std::erase_if(left, [&](const trial::MissingCounter& counter) { return counter.reason == first.reason; });
    sentences.append(
        why_text("Missing: %1 (%2).").arg(names.join(QStringLiteral(", ")), text_of(first.reason)));
    if (!first.hint.empty()) sentences.append(why_text("To get them: %1.").arg(text_of(first.hint)));
  }
  return sentences.join(QLatin1Char(' '));
}

QString machine_language_name(machine_code::MachineLanguage language) {
  switch (language) {
    case machine_code::MachineLanguage::X86:
      return why_text("x86 assembly");
    case machine_code::MachineLanguage::Aarch64:
      return why_text("AArch64 assembly");
    case machine_code::MachineLanguage::Ptx:
      return QStringLiteral("PTX");
    case machine_code::MachineLanguage::Sass:
      return QStringLiteral("SASS");
    case machine_code::MachineLanguage::Other:
      return why_text("Assembly");
  }
  return {};
}

std::string_view listing_title() { return "Kernelscape: machine code with its source"; }

std::string interleaved_listing(const measure::KernelInsight& insight, const machine_code::MachineCode& code,
                                const std::string& title) {
  const std::string sign(comment_sign(code.language));
  const std::vector<std::string> sources = base::split_text(insight.source.text, '\n');
  std::string text = sign + std::string(listing_title()) + '\n' + sign + title + '\n';
  if (!insight.compiler.empty()) text += sign + insight.compiler + '\n';
  text += sign + bound_sentence(insight).toStdString() + '\n';
  for (const std::string& note : insight.notes) text += sign + note + '\n';
  int shown = 0;
  for (std::size_t place = 0; place < code.lines.size(); ++place) {
    const machine_code::MachineLine& line = code.lines[place];
    const auto source_line = static_cast<std::size_t>(std::max(line.source_line, 0));
    if (line.source_line != shown && source_line > 0 && source_line <= sources.size())
      text += sign + std::to_string(source_line) + ": " + sources[source_line - 1] + '\n';
    if (line.source_line > 0) shown = line.source_line;
    if (code.hot() && code.hot()->first_line == place) text += sign + "the hot loop begins\n";
    text += listing_text(line).toStdString() + '\n';
    if (code.hot() && code.hot()->last_line == place) text += sign + "the hot loop ends\n";
  }
  return text;
}

}  // namespace kernelscape::views
