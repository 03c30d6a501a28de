#include "core/measure/worker/prepared_program.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "core/base/memory.h"
#include "core/base/numbers.h"
#include "core/project/argument_contents.h"

namespace kernelscape::measure {

std::optional<SharedBytes> SharedBytes::make(std::size_t bytes) {
  void* memory = mmap(nullptr, std::max<std::size_t>(bytes, 1), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return std::nullopt;
  return SharedBytes(static_cast<std::byte*>(memory), bytes);
}

SharedBytes::SharedBytes(SharedBytes&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

SharedBytes& SharedBytes::operator=(SharedBytes&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedBytes::~SharedBytes() {
  if (memory_ != nullptr) munmap(memory_, std::max<std::size_t>(bytes_, 1));
}

void SharedBytes::protect_read_only() const {
  mprotect(memory_, std::max<std::size_t>(bytes_, 1), PROT_READ);
}

namespace {

/** Checks that there is memory for contents, reference, and the buffers that a trial's process writes. */
Status check_program_memory(const std::vector<project::ProgramArgument>& arguments) {
  double bytes = 0;
  for (const project::ProgramArgument& argument : arguments) {
    if (argument.memory == project::ArgumentMemory::Local) continue;
    bytes += static_cast<double>(argument.bytes()) *
             (1 + (argument.checked ? 1 : 0) + (is_written(argument) ? 1 : 0));
  }
  const auto available = static_cast<double>(base::available_memory_bytes());
  if (bytes <= available) return {};
  return fail(ErrorCode::Environment,
              fmt::format("the arguments, with reference and outputs, take {}, and {} are free",
                          base::bytes_text(bytes), base::bytes_text(available)),
              "end other programs, or choose a smaller problem");
}

}  // namespace

Result<PreparedProgram> PreparedProgram::make(std::vector<project::ProgramArgument> arguments) {
  TRY(check_program_memory(arguments));
  PreparedProgram program;
  program.arguments_ = std::move(arguments);
  int position = 0;
  for (const project::ProgramArgument& argument : program.arguments_) {
    const std::size_t bytes = argument.memory == project::ArgumentMemory::Local ? 0 : argument.bytes();
    auto contents = PageBuffer::make(bytes, position++ % 8);
    auto right = argument.checked ? SharedBytes::make(bytes) : std::nullopt;
    if (!contents || argument.checked != right.has_value())
      return fail(ErrorCode::Environment,
                  fmt::format("not enough memory for the argument {} of {} bytes", argument.name, bytes),
                  "end other programs, or choose a smaller problem");
    project::fill_argument(argument, contents->bytes());
    contents->protect_read_only();
    program.contents_.push_back(std::move(*contents));
    program.right_.push_back(std::move(right));
  }
  return program;
}

std::span<std::byte> PreparedProgram::right(std::size_t argument) const {
  return right_[argument] ? right_[argument]->bytes() : std::span<std::byte>();
}

Status PreparedProgram::accept_right() {
  for (std::size_t index = 0; index < arguments_.size(); ++index) {
    if (!right_[index]) continue;
    const std::string problem = project::describe_no_number(arguments_[index], right_[index]->bytes());
    if (!problem.empty())
      return fail(ErrorCode::InvalidArgument, fmt::format("the reference is not a number: {}", problem),
                  "correct the reference, or the contents that it computes with");
    right_[index]->protect_read_only();
  }
  return {};
}

OutputCheck PreparedProgram::check(std::size_t argument, std::span<const std::byte> actual,
                                   bool intact) const {
  const project::ProgramArgument& output = arguments_[argument];
  OutputCheck check;
  if (right_[argument]) {
    project::ArgumentComparison comparison = project::compare_argument(output, right(argument), actual);
    check = {.problem = std::move(comparison.problem), .worst_error = comparison.worst_error};
  }
  if (check.problem.empty() && !intact)
    check.problem = fmt::format("the kernel wrote beyond {}", output.name);
  return check;
}

std::size_t PreparedProgram::written_bytes() const {
  std::size_t bytes = 0;
  for (const project::ProgramArgument& argument : arguments_) {
    if (is_written(argument)) bytes += argument.bytes();
  }
  return bytes;
}

void merge_check(OutputCheck& all, OutputCheck one) {
  if (all.problem.empty()) all.problem = std::move(one.problem);
  all.worst_error = std::max(all.worst_error, one.worst_error);
}

}  // namespace kernelscape::measure
