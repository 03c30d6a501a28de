#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine_code/machine_code.h"

namespace kernelscape {

/** What can keep a loop from being faster while its data lie in the first cache. */
enum class BoundResource : std::uint8_t {
  MultiplyAddPorts,  ///< units that multiply and add
  VectorPorts,       ///< all units for vectors together: shuffles, moves and arithmetic too
  LoadPorts,
  StorePorts,
  Latency,   ///< the longest chain of results that each iteration hands to the next
  FrontEnd,  ///< instructions that begin in a cycle
  Ports      ///< units that are not told apart: llvm-mca's busiest one, named in `unit`
};
constexpr std::size_t bound_resource_count = 7;

/** "multiply-add units": in a sentence after "bound by". */
std::string_view name_of(BoundResource resource);

/** The cycles that one resource needs for an iteration. */
struct BoundPart {
  BoundResource resource = BoundResource::MultiplyAddPorts;
  double cycles = 0;
  std::string unit{};  ///< the analyser's own name of a unit, where it has one

  bool operator==(const BoundPart&) const = default;
};

/** How fast one iteration of a loop can be on one core, data being in the first cache. */
struct LoopBound {
  std::string by;         ///< "own counts", "llvm-mca 14.0.6"
  std::string processor;  ///< whose units were assumed: "Zen 3", "znver3"
  bool assumed = false;   ///< that processor is not the one asked for, but the nearest known
  double cycles = 0;      ///< of one iteration: the greatest part, or what a simulation gave
  BoundResource resource = BoundResource::MultiplyAddPorts;  ///< which bounds
  std::vector<BoundPart> parts;                              ///< most cycles first
  double multiply_adds_per_cycle = 0;                        ///< lanes counted
  std::optional<double> instructions_per_cycle{};            ///< simulated

  bool operator==(const LoopBound&) const = default;
};

/** A core's units, as far as loops of multiply-adds meet them. Source: Agner Fog, "Instruction tables" and
 * "The microarchitecture of Intel, AMD and VIA CPUs"; vendors' optimization manuals. */
struct PortModel {
  std::string_view name;          ///< "Zen 3"
  std::string_view mca_name;      ///< -mcpu of llvm-mca: "znver3"
  double multiply_add_ports = 2;  ///< vectors of up to 256 bits in a cycle
  double vector_ports = 4;        ///< of any vector arithmetic
  double load_ports = 2;
  double store_ports = 1;
  double wide_multiply_add_ports = 1;  ///< vectors of 512 bits in a cycle
  double wide_vector_ports = 2;
  double wide_load_ports = 1;
  double wide_store_ports = 0.5;
  double issue_width = 6;  ///< instructions that begin in a cycle
  double multiply_add_latency = 4;
  double add_latency = 4;
  double shuffle_latency = 1;
  double load_latency = 7;  ///< of a vector from the first cache
};

/** A processor as the kernel of the system names it. */
struct ProcessorIdentity {
  std::string vendor;  ///< "AuthenticAMD", "GenuineIntel"; empty: not known
  int family = 0;
  int model = 0;
  std::string name{};  ///< as people know it
};

/** Out of /proc/cpuinfo's text; what it lacks stays empty. */
ProcessorIdentity parse_processor_identity(std::string_view cpuinfo);

/** A model with whether it is that processor's own, not the nearest known. */
struct ChosenPortModel {
  const PortModel* model = nullptr;  ///< never null
  bool own = false;
};

/** The units to count with for a processor. */
ChosenPortModel port_model_of(const ProcessorIdentity& processor);

/** The bound of one iteration of a loop, one of `code.loops`, by counting its instructions; nothing for code
 * that no table of units is for. */
std::optional<LoopBound> bound_by_counts(const MachineCode& code, const MachineLoop& loop,
                                         const ChosenPortModel& processor);

/** What llvm-mca is given: the instructions of a loop, one of `code.loops`, without those of loops inside. */
std::string text_for_mca(const MachineCode& code, const MachineLoop& loop);

/** llvm-mca's output as a bound; nothing where it has no summary. `by` and `processor` are left empty. */
std::optional<LoopBound> parse_mca_output(std::string_view output, const MachineLoop& loop);

}  // namespace kernelscape
