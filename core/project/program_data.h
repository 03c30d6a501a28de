#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/codegen/kernel_source.h"

namespace kernelscape {

/** What an element of an argument is. */
enum class ElementType : std::uint8_t { Bool, I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64 };
inline constexpr std::uint64_t element_type_count = 12;

/** Bytes of one element. */
std::size_t element_bytes(ElementType type);
std::string to_string(ElementType type);  ///< as T1 writes it: "int32", "uint64", "half", "float", "double"

/** Where an argument lies. */
enum class ArgumentMemory : std::uint8_t {
  Scalar,   ///< passed by value
  Vector,   ///< a pointer to global memory
  Local,    ///< OpenCL: memory of a work-group, without contents
  Constant  ///< CUDA: a __constant__ array, found by its name (T1: Symbol); no parameter of the kernel
};

/** What the kernel does with a vector. */
enum class ArgumentAccess : std::uint8_t {
  ReadOnly,   ///< compared with what it was after the run
  WriteOnly,  ///< filled with NaN, or a pattern where the type has none, before the checked run
  ReadWrite   ///< restored before each run
};

/** What an argument holds at first. */
enum class FillKind : std::uint8_t {
  Constant,  ///< `value`
  Random,    ///< uniform in [0, value), integers included; by `seed`
  Ramp,      ///< value, value + 1, value + 2, ...
  Bytes      ///< `bytes`, exactly of the argument's size: the contents of a file
};

struct ArgumentFill {
  FillKind kind = FillKind::Constant;
  double value = 0;
  std::uint64_t seed = 1;
  std::string bytes{};

  bool operator==(const ArgumentFill&) const = default;
};

/** How far an element may be from what is right: at most absolute + relative * |right|. */
struct AnswerTolerance {
  double absolute = 0;
  double relative = 0;

  bool operator==(const AnswerTolerance&) const = default;
};

/** An argument of a user's kernel, in the order of its parameters. */
struct ProgramArgument {
  std::string name;
  ElementType type = ElementType::F32;
  std::int32_t lanes = 1;  ///< of "float4": 4
  ArgumentMemory memory = ArgumentMemory::Vector;
  ArgumentAccess access = ArgumentAccess::ReadOnly;
  std::int64_t count = 1;  ///< elements of `lanes` each; of Local those of the first configuration
  ArgumentFill fill{};
  bool checked = false;  ///< an output whose contents are compared with what is right
  AnswerTolerance tolerance{};

  /** Bytes of all elements. */
  std::size_t bytes() const {
    return element_bytes(type) * static_cast<std::size_t>(lanes) * static_cast<std::size_t>(count);
  }
  bool operator==(const ProgramArgument&) const = default;
};

/** Where right answers come from. */
enum class AnswerKind : std::uint8_t {
  FirstValid,  ///< the outputs of the first configuration that runs, and then called so
  Kernel,      ///< a reference kernel in the project's language
  Function,    ///< a C function: the arguments as pointers and values, as the kernel takes them
  Bytes        ///< files, one for each checked argument
};

/** How an output is known to be right. */
struct RightAnswer {
  AnswerKind kind = AnswerKind::FirstValid;
  KernelSource reference{};          ///< of Kernel and Function
  std::vector<std::string> bytes{};  ///< of Bytes: one per checked argument, in their order

  bool operator==(const RightAnswer&) const = default;
};

/** What all configurations of a user's kernel are given, and what is right. */
struct ProgramData {
  std::vector<ProgramArgument> arguments;
  RightAnswer answer{};

  bool operator==(const ProgramData&) const = default;
};

}  // namespace kernelscape
