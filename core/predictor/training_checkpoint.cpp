#include "core/predictor/training_checkpoint.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "core/base/crc32.h"

namespace kernelscape::predictor {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr std::string_view checkpoint_magic = "KSTRAIN";
constexpr char checkpoint_version = 1;
constexpr std::size_t checkpoint_prefix_bytes = checkpoint_magic.size() + 1 + sizeof(std::uint64_t);

std::unexpected<Error> damaged_checkpoint() {
  return fail(ErrorCode::Corrupt, "the checkpoint of the training is damaged",
              "train again from the beginning, with the same sources and settings");
}

class CheckpointWriter {
 public:
  template <typename Number>
  void number(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    number(std::uint64_t{text.size()});
    bytes_.append(text);
  }
  void numbers(std::span<const float> values) {
    number(std::uint64_t{values.size()});
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/** Reads values in order; after a missing value, all others count as missing. */
class CheckpointReader {
 public:
  explicit CheckpointReader(std::string_view bytes) : rest_(bytes) {}

  template <typename Number>
  Number number() {
    Number value{};
    const std::string_view taken = take(1, sizeof value);
    if (!taken.empty()) std::memcpy(&value, taken.data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number<std::uint64_t>(), 1)); }
  std::vector<float> numbers() {
    const std::string_view taken = take(number<std::uint64_t>(), sizeof(float));
    std::vector<float> values(taken.size() / sizeof(float));
    if (!taken.empty()) std::memcpy(values.data(), taken.data(), taken.size());
    return values;
  }
  /** Reads the number of following items, each of `item_bytes` bytes. */
  std::uint64_t count(std::size_t item_bytes) {
    const auto items = number<std::uint64_t>();
    whole_ = whole_ && items <= rest_.size() / item_bytes;
    return whole_ ? items : 0;
  }
  /** Returns true if nothing was missing and nothing remains. */
  bool complete() const { return whole_ && rest_.empty(); }

 private:
  std::string_view take(std::uint64_t items, std::size_t item_bytes) {
    whole_ = whole_ && items <= rest_.size() / item_bytes;
    if (!whole_) return {};
    const std::string_view taken = rest_.substr(0, items * item_bytes);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
  bool whole_ = true;
};

constexpr std::size_t epoch_bytes = 4 * sizeof(double);

TrainingEpoch read_epoch(CheckpointReader& reader, std::int64_t number) {
  TrainingEpoch epoch;
  epoch.epoch = number;
  for (double* value : {&epoch.training_loss, &epoch.validation_loss, &epoch.validation_tau, &epoch.seconds})
    *value = reader.number<double>();
  return epoch;
}

bool all_finite(const TrainingEpoch& epoch) {
  return std::isfinite(epoch.training_loss) && std::isfinite(epoch.validation_loss) &&
         std::isfinite(epoch.validation_tau) && std::isfinite(epoch.seconds);
}

}  // namespace

std::string checkpoint_to_bytes(const TrainingCheckpoint& checkpoint) {
  CheckpointWriter writer;
  writer.number(checkpoint.data_hash);
  writer.number(checkpoint.seed);
  writer.text(checkpoint.settings_json);
  writer.number(checkpoint.best_epoch);
  writer.number(std::uint64_t{checkpoint.epochs.size()});
  for (const TrainingEpoch& epoch : checkpoint.epochs) {
    for (const double value :
         {epoch.training_loss, epoch.validation_loss, epoch.validation_tau, epoch.seconds})
      writer.number(value);
  }
  writer.numbers(checkpoint.state.numbers);
  writer.numbers(checkpoint.state.optimizer);
  writer.numbers(checkpoint.best_numbers);

  CheckpointWriter prefix;
  prefix.number(std::uint64_t{base::crc32(writer.bytes())});
  return std::string(checkpoint_magic) + checkpoint_version + prefix.bytes() + writer.bytes();
}

Result<TrainingCheckpoint> checkpoint_from_bytes(std::string_view bytes) {
  if (bytes.size() < checkpoint_prefix_bytes || !bytes.starts_with(checkpoint_magic))
    return damaged_checkpoint();
  if (bytes[checkpoint_magic.size()] != checkpoint_version) {
    return fail(ErrorCode::Refused,
                "the checkpoint of the training was written by another version of Kernelscape",
                "resume with that version, or train again from the beginning");
  }
  CheckpointReader prefix(bytes.substr(checkpoint_magic.size() + 1, sizeof(std::uint64_t)));
  bytes.remove_prefix(checkpoint_prefix_bytes);
  if (prefix.number<std::uint64_t>() != base::crc32(bytes)) return damaged_checkpoint();

  CheckpointReader reader(bytes);
  TrainingCheckpoint checkpoint;
  checkpoint.data_hash = reader.number<std::uint64_t>();
  checkpoint.seed = reader.number<std::uint64_t>();
  checkpoint.settings_json = reader.text();
  checkpoint.best_epoch = reader.number<std::int64_t>();
  const std::uint64_t epochs = reader.count(epoch_bytes);
  for (std::uint64_t i = 0; i < epochs; ++i) {
    checkpoint.epochs.push_back(read_epoch(reader, static_cast<std::int64_t>(i) + 1));
    if (!all_finite(checkpoint.epochs.back())) return damaged_checkpoint();
  }
  checkpoint.state.numbers = reader.numbers();
  checkpoint.state.optimizer = reader.numbers();
  checkpoint.best_numbers = reader.numbers();
  const auto last = static_cast<std::int64_t>(epochs);
  const bool best_is_one = checkpoint.best_epoch >= (last > 0 ? 1 : 0) && checkpoint.best_epoch <= last;
  if (!reader.complete() || !best_is_one) return damaged_checkpoint();
  return checkpoint;
}

}  // namespace kernelscape::predictor
