#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/codegen/kernel_source.h"

namespace kernelscape::project {

/** The type of an element of an argument. */
enum class ElementType : std::uint8_t { Bool, I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64 };
inline constexpr std::uint64_t element_type_count = 12;

/** Returns the bytes of one element. */
std::size_t element_bytes(ElementType type);
std::string to_string(
    ElementType type);  ///< the type's name in T1: "int32", "uint64", "half", "float", "double"

/** The memory of an argument. */
enum class ArgumentMemory : std::uint8_t {
  Scalar,   ///< passed by value
  Vector,   ///< a pointer to global memory
  Local,    ///< OpenCL: local memory of a work-group, without initial contents
  Constant  ///< CUDA: a __constant__ array, found by its name (T1: Symbol); not a parameter of the kernel
};

/** The access of the kernel to a vector. */
enum class ArgumentAccess : std::uint8_t {
  ReadOnly,   ///< compared with its initial contents after the run
  WriteOnly,  ///< filled before the checked run, with NaN or, for types without NaN, a bit pattern
  ReadWrite   ///< restored before each run
};

/** The initial contents of an argument. */
enum class FillKind : std::uint8_t {
  Constant,  ///< `value`
  Random,    ///< uniform in [0, value), for integers too; drawn with `seed`
  Ramp,      ///< value, value + 1, value + 2, ...
  Bytes      ///< `bytes`, exactly of the argument's size: contents of a file
};

/** A data file that stays where it is: a session refers to the file and does not store its contents. */
struct DataFile {
  std::string path;         ///< absolute, with links resolved
  std::uint64_t bytes = 0;  ///< size of the contents
  std::string sha256{};     ///< SHA-256 of the contents, in hexadecimal

  bool operator==(const DataFile&) const = default;
};

struct ArgumentFill {
  FillKind kind = FillKind::Constant;
  double value = 0;
  std::uint64_t seed = 1;
  std::string bytes{};             ///< contents of FillKind::Bytes; empty while they are in `file`
  std::optional<DataFile> file{};  ///< FillKind::Bytes: where the contents are until loaded_arguments()

  bool operator==(const ArgumentFill&) const = default;
};

/** The permitted error of an element: at most absolute + relative * |right|. */
struct AnswerTolerance {
  double absolute = 0;
  double relative = 0;

  bool operator==(const AnswerTolerance&) const = default;
};

/** An argument of a user's kernel, in the order of its parameters. */
struct ProgramArgument {
  std::string name;
  ElementType type = ElementType::F32;
  std::int32_t lanes = 1;  ///< vector lanes of the type: 4 for "float4"
  ArgumentMemory memory = ArgumentMemory::Vector;
  ArgumentAccess access = ArgumentAccess::ReadOnly;
  std::int64_t count = 1;  ///< number of elements of `lanes` each; for Local those of the first configuration
  ArgumentFill fill{};
  bool checked = false;  ///< true for an output whose contents are compared with the reference
  AnswerTolerance tolerance{};

  /** Returns the bytes of all elements. */
  std::size_t bytes() const {
    return element_bytes(type) * static_cast<std::size_t>(lanes) * static_cast<std::size_t>(count);
  }
  bool operator==(const ProgramArgument&) const = default;
};

/** The source of the reference outputs. */
enum class AnswerKind : std::uint8_t {
  FirstValid,  ///< outputs of the first configuration that runs; notices report this choice
  Kernel,      ///< a reference kernel in the project's language
  Function,    ///< a C function, whose parameters are those of the kernel: pointers and values
  Bytes        ///< files, one per checked argument
};

/** The reference that outputs are checked against. */
struct RightAnswer {
  AnswerKind kind = AnswerKind::FirstValid;
  codegen::KernelSource reference{};  ///< source of Kernel and Function
  std::vector<std::string> bytes{};   ///< contents of Bytes: one per checked argument, in their order
  /** The contents that are in files, by their index in `bytes`, whose elements are empty until
   * loaded_answer(). */
  std::map<std::size_t, DataFile> files{};

  bool operator==(const RightAnswer&) const = default;
};

/** The arguments of all configurations of a user's kernel, and the reference. */
struct ProgramData {
  std::vector<ProgramArgument> arguments;
  RightAnswer answer{};

  bool operator==(const ProgramData&) const = default;
};

}  // namespace kernelscape::project
