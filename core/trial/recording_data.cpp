#include "core/trial/recording_data.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/base/crc32.h"
#include "core/base/memory.h"
#include "core/trial/measure_options.h"

namespace kernelscape::trial {
namespace {

static_assert(std::endian::native == std::endian::little, "columns are read in place");

std::unexpected<Error> wrong(std::string what) { return fail(ErrorCode::Corrupt, std::move(what)); }

std::unexpected<Error> damaged(std::string_view name, const Error& error) {
  if (error.code == ErrorCode::Refused)
    return fail(error.code, fmt::format("the recorded space {}: {}", name, error.message), error.hint);
  return fail(ErrorCode::Corrupt, fmt::format("the recorded space {} is damaged: {}", name, error.message),
              "restore a copy of it, or measure it again");
}

std::uint64_t number_at(std::string_view bytes, std::size_t position) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + position, sizeof number);
  return number;
}

/** Hashes eight bytes at a time, because a recording may have hundreds of megabytes. */
std::uint64_t hash_bytes(std::string_view bytes) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15ULL;
  std::uint64_t hash = bytes.size();
  for (; bytes.size() >= sizeof(std::uint64_t); bytes.remove_prefix(sizeof(std::uint64_t)))
    hash = std::rotl((hash ^ number_at(bytes, 0)) * factor, 29);
  for (const char letter : bytes) hash = (hash ^ static_cast<unsigned char>(letter)) * factor;
  return hash ^ (hash >> 32);
}

/** Returns the bytes of a column, which begin at a multiple of 8, as its values. */
template <typename T>
std::span<const T> values_of(std::string_view column) {
  return {reinterpret_cast<const T*>(column.data()), column.size() / sizeof(T)};
}

bool ascending(std::span<const std::uint64_t> values) { return std::ranges::is_sorted(values); }

/**
 * Checks the memory for the members: a row of a file may take one byte, but a member takes many in memory.
 */
Status check_member_memory(std::uint64_t rows, std::size_t knobs) {
  constexpr std::uint64_t allocation_bytes = 2 * sizeof(std::size_t);
  const std::uint64_t member_bytes =
      sizeof(space::Configuration) + allocation_bytes + knobs * sizeof(std::uint32_t);
  if (rows * member_bytes <= base::available_memory_bytes()) return {};
  return fail(ErrorCode::Refused, fmt::format("there is not enough memory for its {} configurations", rows),
              "close other programs, or allow this program more memory (ulimit -v)");
}

}  // namespace

void RecordingUnmap::operator()(void* start) const { munmap(start, bytes); }

Status Recording::Data::load(std::string_view name) {
  std::uint64_t columns_start = 0;
  TRY(read_prefix(name, columns_start));
  Status checked = place_columns(columns_start);
  if (checked) checked = check_values();
  if (checked) checked = read_spaces();
  if (!checked) return damaged(name, checked.error());
  for (std::uint32_t row = 0; row < preamble.rows; ++row) {
    const double value = value_at(seconds(), row);
    if (value > 0 && (!best || value < seconds()[*best])) best = row;
    any_resources = any_resources || (value_at(flags, row) & recorded_resources) != 0;
  }
  return {};
}

Status Recording::Data::read_prefix(std::string_view name, std::uint64_t& columns_start) {
  constexpr std::size_t magic_bytes = recording_magic.size() + 1;
  if (bytes.size() < magic_bytes || !bytes.starts_with(recording_magic)) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} is not a recorded space of Kernelscape", name),
                "choose a file that `kernelscape sweep` or `kernelscape import` wrote");
  }
  const auto version = static_cast<std::uint8_t>(bytes[recording_magic.size()]);
  if (version < 1 || version > newest_recording_version) {
    return fail(
        ErrorCode::Refused,
        fmt::format("the recorded space {} has the format version {}; this program knows versions up to {}",
                    name, version, newest_recording_version),
        "use the newer Kernelscape that wrote it");
  }
  if (bytes.size() < recording_prefix_bytes) return damaged(name, wrong("it ends too early").error());
  const std::uint64_t header_bytes = number_at(bytes, magic_bytes);
  const std::uint64_t rows = number_at(bytes, magic_bytes + sizeof(std::uint64_t));
  const std::uint64_t crc = number_at(bytes, recording_crc_position);
  if (header_bytes > bytes.size() - recording_prefix_bytes || rows > bytes.size())
    return damaged(name, wrong("it ends too early").error());
  if (rows == 0 || rows > max_recorded_rows)
    return damaged(name, wrong(fmt::format("its number of rows, {}, is out of range", rows)).error());
  if (crc != base::crc32(bytes.substr(recording_prefix_bytes)))
    return damaged(name, wrong("its checksum is wrong").error());
  hash = hash_bytes(bytes);
  const std::string_view json = bytes.substr(recording_prefix_bytes, header_bytes);
  auto read = preamble_from_json(json, rows, bytes.size());
  if (!read) return damaged(name, read.error());
  preamble = *std::move(read);
  preamble.version = version;
  if (preamble.has_newer())
    return damaged(name, wrong("it has columns that its version does not know").error());
  columns_start = recording_prefix_bytes + aligned_to_8(header_bytes);
  return {};
}

Status Recording::Data::place_columns(std::uint64_t columns_start) {
  std::uint64_t position = columns_start;
  bool fits = position <= bytes.size();
  const auto take = [&](std::uint64_t field_bytes) {
    fits = fits && field_bytes <= bytes.size() - position &&
           aligned_to_8(field_bytes) <= bytes.size() - position;
    if (!fits) return std::string_view();
    const std::string_view column = bytes.substr(position, field_bytes);
    position += aligned_to_8(field_bytes);
    return column;
  };
  std::array<std::string_view, recorded_field_count> columns_bytes;
  for (std::size_t place = 0; place < recorded_field_count; ++place)
    columns_bytes[place] = take(preamble.field_bytes(place));
  const auto bytes_of = [&](RecordedField field) { return columns_bytes[static_cast<std::size_t>(field)]; };
  index_low = values_of<std::uint64_t>(bytes_of(RecordedField::IndexLow));
  index_high = values_of<std::uint64_t>(bytes_of(RecordedField::IndexHigh));
  flags = values_of<std::uint8_t>(bytes_of(RecordedField::Flags));
  message = values_of<std::uint32_t>(bytes_of(RecordedField::Message));
  sample_offsets = values_of<std::uint64_t>(bytes_of(RecordedField::SampleOffsets));
  samples = values_of<double>(bytes_of(RecordedField::Samples));
  build_log = values_of<std::uint32_t>(bytes_of(RecordedField::BuildLog));
  const auto place_in = [&](auto& spans) {
    return [&](auto field) {
      using Field = decltype(field);
      std::get<RecordedSpan<Field>>(spans).values =
          values_of<RecordedValue<Field>>(columns_bytes[static_cast<std::size_t>(field.facts.recorded)]);
    };
  };
  for_each_field<trial_fields, &FieldFacts::recorded>(place_in(fields));
  for_each_field<gpu_fields, &FieldFacts::recorded>(place_in(kernel_fields));
  for_each_field<probe_fields, &FieldFacts::recorded>(place_in(probes));
  for (std::size_t i = 0; i < preamble.extra_columns.size(); ++i) {
    const auto values = values_of<double>(take(preamble.rows * sizeof(double)));
    const std::string unit = preamble.extra_units.empty() ? std::string() : preamble.extra_units[i];
    if (fits) columns.push_back({preamble.extra_columns[i], {values.begin(), values.end()}, unit});
  }
  if (!fits) return wrong("it ends too early");
  if (position != bytes.size()) return wrong("it continues after its end");
  return read_messages(values_of<std::uint64_t>(bytes_of(RecordedField::MessageEnds)),
                       bytes_of(RecordedField::MessageTexts));
}

Status Recording::Data::read_messages(std::span<const std::uint64_t> ends, std::string_view texts) {
  if (!ascending(ends) || (ends.empty() ? 0 : ends.back()) != texts.size())
    return wrong("its messages overlap");
  std::uint64_t start = 0;
  for (const std::uint64_t end : ends) {
    messages.emplace_back(texts.substr(start, end - start));
    start = end;
  }
  return {};
}

Status Recording::Data::check_values() const {
  bool times = std::ranges::all_of(samples, plausible_seconds);
  bool magnitudes = true;
  const auto check = [&](auto field) {
    if constexpr (std::is_same_v<RecordedValue<decltype(field)>, double>) {
      bool& sound = field.facts.range == RealRange::Seconds ? times : magnitudes;
      sound =
          sound && std::ranges::all_of(column(field), [&](double value) { return plausible(field, value); });
    }
  };
  for_each_field<trial_fields, &FieldFacts::recorded>(check);
  for_each_field<probe_fields, &FieldFacts::recorded>(check);
  if (!times) return wrong("a time is negative or not finite");
  if (!magnitudes) return wrong("the error of a check or a share is out of range");
  const bool spans = sample_offsets.empty() || (sample_offsets.front() == 0 && ascending(sample_offsets) &&
                                                sample_offsets.back() == samples.size());
  if (!spans) return wrong("its samples overlap");
  for (std::size_t row = 0; row < preamble.rows; ++row) TRY(check_row(row));
  return {};
}

Status Recording::Data::check_row(std::size_t row) const {
  const auto says = [&](std::string_view what) { return wrong(fmt::format("row {}: {}", row, what)); };
  if (category()[row] >= error_category_count) return says("an unknown category");
  const std::uint8_t flag = value_at(flags, row);
  const int known_flags =
      recorded_cut_short | recorded_own_objective | (preamble.version < 2 ? 0 : recorded_resources);
  if ((flag & ~known_flags) != 0) return says("an unknown flag");
  const bool sampled = !sample_offsets.empty() && sample_offsets[row] != sample_offsets[row + 1];
  if (sampled && sample_offsets[row + 1] - sample_offsets[row] > std::uint64_t{max_repeats})
    return says("more samples than a trial can have");
  const bool own_objective = (flag & recorded_own_objective) != 0;
  const double value = value_at(seconds(), row);
  if (category()[row] != 0 && (sampled || own_objective || value > 0))
    return says("a failed configuration with a time");
  if (own_objective && value <= 0) return says("an objective that is 0");
  if (!own_objective && !sampled && value > 0) return says("a time without a sample");
  for (const std::optional<std::uint32_t> text : {text_at(message, row), text_at(build_log, row)})
    if (text && *text >= messages.size()) return says("an unknown message");
  const std::optional<KernelResources> found = resources(row);
  if (found && !found->plausible()) return says("resources that no kernel has");
  if (row > 0 && index(row) <= index(row - 1)) return says("its index is not above the one before");
  return {};
}

std::optional<std::uint32_t> text_at(std::span<const std::uint32_t> column, std::size_t row) {
  if (column.empty() || column[row] == no_recorded_message) return std::nullopt;
  return column[row];
}

std::optional<KernelResources> Recording::Data::resources(std::size_t row) const {
  if ((value_at(flags, row) & recorded_resources) == 0) return std::nullopt;
  KernelResources found;
  for_each_field<gpu_fields, &FieldFacts::recorded>([&](auto field) {
    value_in(field, found) = static_cast<typename decltype(field)::Value>(value_at(column(field), row));
  });
  return found;
}

Status Recording::Data::read_spaces() {
  auto read = space::space_from_json(preamble.space_json);
  if (!read) return wrong(read.error().message);
  whole = *std::move(read);
  if (index(preamble.rows - 1) >= whole->size()) return wrong("a row is outside of its space");
  const bool restricted = whole->has_restrictions();
  if (!preamble.complete) TRY(check_member_memory(preamble.rows, whole->knobs().size()));
  std::vector<space::Configuration> members;
  if (!preamble.complete) members.reserve(preamble.rows);
  for (std::size_t row = 0; row < preamble.rows && (restricted || !preamble.complete); ++row) {
    space::Configuration member = whole->at(index(row));
    if (restricted && !whole->contains(member))
      return wrong(fmt::format("row {} is not a feasible configuration of its space", row));
    if (!preamble.complete) members.push_back(std::move(member));
  }
  if (preamble.complete) {
    if (whole->member_count(completeness_effort(preamble.rows)) != base::uint128{preamble.rows})
      return wrong("it is marked as complete, but feasible configurations are missing");
    space = whole;
    return {};
  }
  space = TRY(space::SearchSpace::make_explicit(whole->knobs(), std::move(members)));
  return {};
}

}  // namespace kernelscape::trial
