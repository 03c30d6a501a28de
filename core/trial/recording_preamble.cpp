#include "core/trial/recording_preamble.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/space/knob_json.h"

namespace kernelscape::trial {
namespace {

struct FieldFormat {
  std::string_view name;
  std::uint64_t bytes = 0;   ///< bytes of one value
  std::uint8_t version = 1;  ///< first version of recordings that has it
};

/** Returns the formats by the places of the columns. */
consteval std::array<FieldFormat, recorded_field_count> make_field_formats() {
  std::array<FieldFormat, recorded_field_count> formats{};
  const auto set = [&](RecordedField field, const FieldFormat& format) {
    formats[static_cast<std::size_t>(field)] = format;
  };
  set(RecordedField::IndexLow, {"index_low", sizeof(std::uint64_t)});
  set(RecordedField::IndexHigh, {"index_high", sizeof(std::uint64_t)});
  set(RecordedField::Flags, {"flags", sizeof(std::uint8_t)});
  set(RecordedField::Message, {"message", sizeof(std::uint32_t)});
  set(RecordedField::SampleOffsets, {"sample_offsets", sizeof(std::uint64_t)});
  set(RecordedField::Samples, {"samples", sizeof(double)});
  set(RecordedField::MessageEnds, {"message_ends", sizeof(std::uint64_t)});
  set(RecordedField::MessageTexts, {"message_texts", sizeof(char)});
  set(RecordedField::BuildLog, {"build_log", sizeof(std::uint32_t), 2});
  const auto add = [&](auto field) {
    formats[static_cast<std::size_t>(field.facts.recorded)] = {
        field.facts.recorded_name(), sizeof(RecordedValue<decltype(field)>), field.facts.recorded_since};
  };
  for_each_field<trial_fields, &FieldFacts::recorded>(add);
  for_each_field<gpu_fields, &FieldFacts::recorded>(add);
  for_each_field<probe_fields, &FieldFacts::recorded>(add);
  return formats;
}
constexpr std::array<FieldFormat, recorded_field_count> field_formats = make_field_formats();
static_assert(std::ranges::all_of(field_formats, [](const FieldFormat& format) { return format.bytes > 0; }),
              "every place has a column");

constexpr int max_builders = 1 << 16;
constexpr auto usual_compute_key = "usual_compute_probe_seconds";
constexpr auto usual_memory_key = "usual_memory_probe_seconds";
constexpr auto probe_version_key = "probe_version";
constexpr auto extra_units_key = "extra_units";

std::unexpected<Error> malformed(std::string_view what) {
  return fail(ErrorCode::Corrupt, fmt::format("its header has no valid \"{}\"", what));
}

/** Reads members of one JSON object; remembers the first that is missing or of the wrong type. */
class HeaderReader {
 public:
  explicit HeaderReader(const space::Json& header) : json_(header) {}

  void read(const char* key, std::string& text) {
    const space::Json* value = space::member_of(json_, key);
    if (value && value->is_string())
      text = value->get<std::string>();
    else
      miss(key);
  }
  void read(const char* key, bool& flag) {
    const space::Json* value = space::member_of(json_, key);
    if (value && value->is_boolean())
      flag = value->get<bool>();
    else
      miss(key);
  }
  void read(const char* key, int& number, int most) {
    const space::Json* value = space::member_of(json_, key);
    const auto read = value ? space::integer_of(*value) : std::nullopt;
    if (read && *read >= 0 && *read <= most)
      number = static_cast<int>(*read);
    else
      miss(key);
  }
  void read(const char* key, std::uint64_t& number, std::uint64_t most) {
    const space::Json* value = space::member_of(json_, key);
    if (value && value->is_number_unsigned() && value->get<std::uint64_t>() <= most)
      number = value->get<std::uint64_t>();
    else
      miss(key);
  }
  void read(const char* key, std::vector<std::string>& texts) {
    const space::Json* value = space::member_of(json_, key);
    if (!value || !value->is_array()) return miss(key);
    for (const space::Json& text : *value) {
      if (!text.is_string()) return miss(key);
      texts.push_back(text.get<std::string>());
    }
  }

  /** Reads a text that older recordings do not have. */
  void read_optional(const char* key, std::string& text) {
    if (space::member_of(json_, key) != nullptr) read(key, text);
  }

  /** Reads a time that older recordings do not have. */
  void read_optional(const char* key, double& seconds) {
    const space::Json* value = space::member_of(json_, key);
    if (!value) return;
    if (value->is_number() && plausible_seconds(value->get<double>()))
      seconds = value->get<double>();
    else
      miss(key);
  }

  const std::optional<std::string>& missing() const { return missing_; }

 private:
  void miss(const char* key) {
    if (!missing_) missing_ = key;
  }

  const space::Json& json_;
  std::optional<std::string> missing_;
};

void read_header(HeaderReader& reader, RecordingHeader& header) {
  reader.read("name", header.name);
  reader.read("created_utc", header.created_utc);
  reader.read("program_version", header.program_version);
  reader.read("origin", header.origin);
  reader.read("task", header.task_json);
  reader.read("target", header.target_name);
  reader.read("target_description", header.target_json);
  reader.read("template", header.template_name);
  reader.read("template_version", header.template_version, std::numeric_limits<int>::max());
  reader.read("options", header.options_json);
  reader.read("vendor", header.vendor_json);
  reader.read("seed", header.seed, std::numeric_limits<std::uint64_t>::max());
  reader.read("builders", header.builders, max_builders);
  reader.read("pipelined", header.pipelined);
  reader.read_optional("project", header.project_json);
  reader.read_optional(usual_compute_key, header.usual_probe.compute);
  reader.read_optional(usual_memory_key, header.usual_probe.memory);
  if (header.usual_probe.known())
    reader.read(probe_version_key, header.probe_version, std::numeric_limits<int>::max());
}

bool set_fields(const std::vector<std::string>& names, RecordingPreamble& preamble) {
  for (const std::string& name : names) {
    const auto found = std::ranges::find(field_formats, name, &FieldFormat::name);
    if (found == field_formats.end()) return false;
    preamble.present[static_cast<std::size_t>(found - field_formats.begin())] = true;
  }
  const auto category =
      static_cast<std::size_t>(FieldOf<trial_fields, &Measurement::category>::facts.recorded);
  return preamble
      .present[category];  // always required, so that a header cannot state more rows than there are bytes
}

/** Returns true if counts and columns are consistent. */
bool fits_together(const RecordingPreamble& preamble) {
  return preamble.has(RecordedField::SampleOffsets) == (preamble.samples > 0) &&
         preamble.has(RecordedField::Samples) == (preamble.samples > 0) &&
         preamble.has(RecordedField::MessageEnds) == (preamble.messages > 0) &&
         preamble.has(RecordedField::Message) == (preamble.messages > 0) &&
         (preamble.messages > 0 || !preamble.has(RecordedField::BuildLog)) &&
         preamble.has(RecordedField::MessageTexts) == (preamble.message_bytes > 0) &&
         (preamble.has(RecordedField::IndexLow) || !preamble.has(RecordedField::IndexHigh));
}

std::uint64_t value_count(const RecordingPreamble& preamble, std::size_t place) {
  switch (static_cast<RecordedField>(place)) {
    case RecordedField::SampleOffsets:
      return preamble.rows + 1;
    case RecordedField::Samples:
      return preamble.samples;
    case RecordedField::MessageEnds:
      return preamble.messages;
    case RecordedField::MessageTexts:
      return preamble.message_bytes;
    default:
      return preamble.rows;
  }
}

}  // namespace

bool RecordingPreamble::has_newer() const {
  for (std::size_t place = 0; place < recorded_field_count; ++place)
    if (present[place] && field_formats[place].version > version) return true;
  return false;
}

std::uint64_t RecordingPreamble::field_bytes(std::size_t place) const {
  return present[place] ? value_count(*this, place) * field_formats[place].bytes : 0;
}

std::string preamble_to_json(const RecordingPreamble& preamble) {
  const RecordingHeader& header = preamble.header;
  space::Json fields = space::Json::array();
  for (std::size_t i = 0; i < recorded_field_count; ++i)
    if (preamble.present[i]) fields.push_back(field_formats[i].name);
  space::Json json{{"name", header.name},
                   {"created_utc", header.created_utc},
                   {"program_version", header.program_version},
                   {"origin", header.origin},
                   {"task", header.task_json},
                   {"target", header.target_name},
                   {"target_description", header.target_json},
                   {"template", header.template_name},
                   {"template_version", header.template_version},
                   {"options", header.options_json},
                   {"vendor", header.vendor_json},
                   {"seed", header.seed},
                   {"builders", header.builders},
                   {"pipelined", header.pipelined},
                   {"space", preamble.space_json},
                   {"complete", preamble.complete},
                   {"rows", preamble.rows},
                   {"samples", preamble.samples},
                   {"messages", preamble.messages},
                   {"message_bytes", preamble.message_bytes},
                   {"columns", std::move(fields)},
                   {"extra_columns", preamble.extra_columns}};
  if (!preamble.extra_units.empty()) json[extra_units_key] = preamble.extra_units;
  if (!header.project_json.empty()) json["project"] = header.project_json;
  if (header.usual_probe.known()) {
    json[usual_compute_key] = header.usual_probe.compute;
    json[usual_memory_key] = header.usual_probe.memory;
    json[probe_version_key] = header.probe_version;
  }
  return space::to_text(json);
}

Result<RecordingPreamble> preamble_from_json(std::string_view text, std::uint64_t rows,
                                             std::uint64_t file_bytes) {
  const space::Json json = space::parse_json(text);
  // The parser treats a zero byte, as in the padding, as the end.
  if (!json.is_object() || !text.ends_with('}'))
    return fail(ErrorCode::Corrupt, "its header is not a JSON object");
  RecordingPreamble preamble;
  HeaderReader reader(json);
  read_header(reader, preamble.header);
  reader.read("space", preamble.space_json);
  reader.read("complete", preamble.complete);
  reader.read("rows", preamble.rows, rows);
  reader.read("samples", preamble.samples, file_bytes);
  reader.read("messages", preamble.messages, file_bytes);
  reader.read("message_bytes", preamble.message_bytes, file_bytes);
  std::vector<std::string> fields;
  reader.read("columns", fields);
  reader.read("extra_columns", preamble.extra_columns);
  // Recordings of earlier versions, and those without units, do not have it.
  if (space::member_of(json, extra_units_key) != nullptr) reader.read(extra_units_key, preamble.extra_units);
  if (reader.missing()) return malformed(*reader.missing());
  if (preamble.rows != rows) return malformed("rows");
  if (preamble.header.builders < 1) return malformed("builders");
  if (!preamble.extra_units.empty() && preamble.extra_units.size() != preamble.extra_columns.size())
    return malformed(extra_units_key);
  if (!set_fields(fields, preamble) || !fits_together(preamble)) return malformed("columns");
  return preamble;
}

std::uint64_t completeness_effort(std::uint64_t rows) {
  constexpr std::uint64_t least = 4'000'000;
  constexpr std::uint64_t combinations_per_row = 64;
  return std::max(least, rows * combinations_per_row);
}

}  // namespace kernelscape::trial
