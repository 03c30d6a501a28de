#include "core/measure/worker/program_kernel.h"

#include <cstring>

#include "core/measure/worker/cache_flush.h"
#include "core/project/argument_contents.h"

namespace kernelscape::measure {
namespace {

using ProgramEntry = void (*)(int part, int parts, void* const* arguments);

}  // namespace

bool ProgramKernel::make_ready(void* entry, int parts) {
  const auto& arguments = program_.arguments();
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const auto contents = program_.contents(index);
    buffers_.emplace_back();
    if (is_written(arguments[index])) {
      // Each buffer has another offset in its pages: with equal offsets they would compete for the same cache
      // sets.
      buffers_.back() = PageBuffer::make(contents.size(), static_cast<int>(index % 8));
      if (!buffers_.back()) return false;
    }
    pointers_.push_back(buffers_.back() ? buffers_.back()->data()
                                        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): plain in C
                                        : const_cast<std::byte*>(contents.data()));  // on read-only pages
  }
  work_ = [entry = reinterpret_cast<ProgramEntry>(entry), parts, data = pointers_.data()](int part) {
    entry(part, parts, data);
  };
  restore_read_and_written();
  return true;
}

void ProgramKernel::clear_outputs() {
  for (std::size_t index = 0; index < buffers_.size(); ++index) {
    const project::ProgramArgument& argument = program_.arguments()[index];
    if (buffers_[index] && argument.access == project::ArgumentAccess::WriteOnly)
      project::fill_unwritten_argument(argument, buffers_[index]->bytes());
  }
}

void ProgramKernel::restore_read_and_written() {
  for (std::size_t index = 0; index < buffers_.size(); ++index) {
    if (!buffers_[index] || program_.arguments()[index].access != project::ArgumentAccess::ReadWrite)
      continue;
    const auto contents = program_.contents(index);
    std::memcpy(buffers_[index]->data(), contents.data(), contents.size());
  }
}

std::function<void()> ProgramKernel::restore() {
  for (const project::ProgramArgument& argument : program_.arguments()) {
    if (is_written(argument) && argument.access == project::ArgumentAccess::ReadWrite)
      return [this] { restore_read_and_written(); };
  }
  return {};
}

OutputCheck ProgramKernel::check() {
  OutputCheck all;
  for (std::size_t index = 0; index < buffers_.size(); ++index) {
    if (!buffers_[index]) continue;
    merge_check(all, program_.check(index, buffers_[index]->bytes(), buffers_[index]->surroundings_intact()));
  }
  return all;
}

void ProgramKernel::flush_caches() {
  for (std::size_t index = 0; index < buffers_.size(); ++index)
    flush_from_caches(pointers_[index], program_.contents(index).size());
}

void ProgramKernel::keep_outputs() {
  for (std::size_t index = 0; index < buffers_.size(); ++index) {
    const auto right = program_.right(index);
    if (!right.empty()) std::memcpy(right.data(), buffers_[index]->data(), right.size());
  }
}

}  // namespace kernelscape::measure
