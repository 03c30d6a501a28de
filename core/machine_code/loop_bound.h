#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine_code/machine_code.h"

namespace kernelscape::machine_code {

/** The resources that can limit the speed of a loop whose data are in the L1 cache. */
enum class BoundResource : std::uint8_t {
  MultiplyAddPorts,  ///< units that multiply and add
  VectorPorts,       ///< all units for vectors together: shuffles, moves and arithmetic too
  LoadPorts,
  StorePorts,
  Latency,   ///< the longest dependency chain from one iteration to the next
  FrontEnd,  ///< instructions issued per cycle
  Ports      ///< units that are not distinguished: llvm-mca's busiest unit, named in `unit`
};
constexpr std::size_t bound_resource_count = 7;

/** Returns the name for use in a sentence after "bound by": "multiply-add units". */
std::string_view name_of(BoundResource resource);

/** The cycles that one resource needs for an iteration. */
struct BoundPart {
  BoundResource resource = BoundResource::MultiplyAddPorts;
  double cycles = 0;
  std::string unit{};  ///< the analyzer's name of the unit, if it has one

  bool operator==(const BoundPart&) const = default;
};

/** The lower bound on the time of one loop iteration on one core, with data in the L1 cache. */
struct LoopBound {
  std::string by;         ///< "own counts", "llvm-mca 14.0.6"
  std::string processor;  ///< processor whose units were assumed: "Zen 3", "znver3"
  bool assumed = false;   ///< true if that processor is not the requested one but the nearest known one
  double cycles = 0;      ///< per iteration: the largest part, or the result of a simulation
  BoundResource resource = BoundResource::MultiplyAddPorts;  ///< the resource that bounds
  std::vector<BoundPart> parts;                              ///< most cycles first
  double multiply_adds_per_cycle = 0;                        ///< lanes counted
  std::optional<double> instructions_per_cycle{};            ///< simulated

  bool operator==(const LoopBound&) const = default;
};

/**
 * The units of a core that loops of multiply-adds use. Source: Agner Fog, "Instruction tables" and "The
 * microarchitecture of Intel, AMD and VIA CPUs"; vendors' optimization manuals.
 */
struct PortModel {
  std::string_view name;          ///< "Zen 3"
  std::string_view mca_name;      ///< -mcpu of llvm-mca: "znver3"
  double multiply_add_ports = 2;  ///< vectors of up to 256 bits per cycle
  double vector_ports = 4;        ///< units for any vector arithmetic
  double load_ports = 2;
  double store_ports = 1;
  double wide_multiply_add_ports = 1;  ///< vectors of 512 bits per cycle
  double wide_vector_ports = 2;
  double wide_load_ports = 1;
  double wide_store_ports = 0.5;
  double issue_width = 6;  ///< instructions issued per cycle
  double multiply_add_latency = 4;
  double add_latency = 4;
  double shuffle_latency = 1;
  double load_latency = 7;  ///< of a vector load from the L1 cache
  /// micro-operations that the cache of decoded instructions holds: most instructions are one of them
  int decoded_instructions = 1536;
  /// multiply-adds in the time of one vdpbf16ps; 4 was measured on Sapphire Rapids (core/schedule/README.md)
  double bf16_dot_slots = 1;
};

/** A processor as the operating system's kernel names it. */
struct ProcessorIdentity {
  std::string vendor;  ///< "AuthenticAMD", "GenuineIntel"; empty: not known
  int family = 0;
  int model = 0;
  std::string name{};  ///< marketing name
};

/** Parses the text of /proc/cpuinfo; missing fields stay empty. */
ProcessorIdentity parse_processor_identity(std::string_view cpuinfo);

/** A port model, and whether it is the model of the processor itself or of the nearest known one. */
struct ChosenPortModel {
  const PortModel* model = nullptr;  ///< never null
  bool own = false;
};

/** Returns the port model to use for a processor. */
ChosenPortModel port_model_of(const ProcessorIdentity& processor);

/**
 * Returns the bound of one iteration of a loop, one of `code.loops`, by counting its instructions; nullopt
 * for a language without a port model.
 */
std::optional<LoopBound> bound_by_counts(const MachineCode& code, const MachineLoop& loop,
                                         const ChosenPortModel& processor);

/**
 * Returns the input for llvm-mca: the instructions of a loop, one of `code.loops`, without those of loops
 * inside.
 */
std::string text_for_mca(const MachineCode& code, const MachineLoop& loop);

/** Parses llvm-mca's output as a bound; nullopt if it has no summary. `by` and `processor` are left empty. */
std::optional<LoopBound> parse_mca_output(std::string_view output, const MachineLoop& loop);

}  // namespace kernelscape::machine_code
