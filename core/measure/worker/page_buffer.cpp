#include "core/measure/worker/page_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace kernelscape::measure {
namespace {

constexpr std::size_t huge_page_bytes = 2 << 20;
constexpr std::size_t stagger_bytes = std::size_t{17} * 64;
constexpr std::byte pattern{0xa5};

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::optional<PageBuffer> PageBuffer::make(std::size_t bytes, int stagger) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t start = static_cast<std::size_t>(stagger) * stagger_bytes;
  const std::size_t usable = round_up(start + std::max<std::size_t>(bytes, 1), page);
  if (usable < bytes) return std::nullopt;
  const std::size_t alignment = usable >= huge_page_bytes ? huge_page_bytes : page;
  const std::size_t reserved = usable + page + alignment;
  void* memory = mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return std::nullopt;

  PageBuffer buffer;
  auto* first = static_cast<std::byte*>(memory);
  const std::size_t lead =
      round_up(std::bit_cast<std::uintptr_t>(first), alignment) - std::bit_cast<std::uintptr_t>(first);
  if (lead > 0) munmap(first, lead);
  buffer.mapping_ = first + lead;
  buffer.mapped_ = usable + page;
  if (reserved > lead + buffer.mapped_)
    munmap(buffer.mapping_ + buffer.mapped_, reserved - lead - buffer.mapped_);
  buffer.usable_ = usable;
  buffer.start_ = start;
  buffer.bytes_ = bytes;
  if (mprotect(buffer.mapping_, usable, PROT_READ | PROT_WRITE) != 0) return std::nullopt;
  madvise(buffer.mapping_, usable, MADV_HUGEPAGE);
  std::fill_n(buffer.mapping_, start, pattern);
  std::fill(buffer.mapping_ + start + bytes, buffer.mapping_ + usable, pattern);
  return buffer;
}

PageBuffer::PageBuffer(PageBuffer&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(other.mapped_),
      usable_(other.usable_),
      start_(other.start_),
      bytes_(other.bytes_) {}

PageBuffer& PageBuffer::operator=(PageBuffer&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(usable_, other.usable_);
  std::swap(start_, other.start_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

PageBuffer::~PageBuffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

void PageBuffer::protect_read_only() const { mprotect(mapping_, usable_, PROT_READ); }

bool PageBuffer::surroundings_intact() const {
  const auto untouched = [](std::byte byte) { return byte == pattern; };
  return std::all_of(mapping_, mapping_ + start_, untouched) &&
         std::all_of(mapping_ + start_ + bytes_, mapping_ + usable_, untouched);
}

}  // namespace kernelscape::measure
