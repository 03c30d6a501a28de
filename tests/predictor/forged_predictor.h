#pragma once

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/sha256.h"
#include "core/predictor/file.h"

namespace kernelscape::predictor_tests {

/** As if whoever changed the file knew the format; one that ends before its description stays as it is. */
inline std::string with_right_hash(std::string file) {
  if (file.size() < predictor::Places::description) return file;
  file.replace(predictor::Places::hash, predictor::Places::hash_digits,
               base::sha256(std::string_view(file).substr(predictor::Places::description)));
  return file;
}

/** A predictor's file, with what a forger changes. */
class ForgedPredictor {
 public:
  explicit ForgedPredictor(std::string_view file) : prefix_(file.substr(0, predictor::Places::description)) {
    std::uint64_t description_bytes = 0;
    std::memcpy(&description_bytes, file.data() + predictor::Places::description_bytes,
                sizeof description_bytes);
    file.remove_prefix(predictor::Places::description);
    description_ = nlohmann::json::parse(file.substr(0, description_bytes));
    numbers_.resize((file.size() - description_bytes) / sizeof(float));
    std::memcpy(numbers_.data(), file.data() + description_bytes, numbers_.size() * sizeof(float));
  }

  nlohmann::json& description() { return description_; }
  std::vector<float>& numbers() { return numbers_; }

  /** With sizes and a hash that fit. */
  std::string file() const {
    const std::string text = description_.dump();
    std::string file = prefix_ + text;
    write(file, predictor::Places::description_bytes, text.size());
    write(file, predictor::Places::numbers, numbers_.size());
    file.append(reinterpret_cast<const char*>(numbers_.data()), numbers_.size() * sizeof(float));
    return with_right_hash(std::move(file));
  }

 private:
  static void write(std::string& file, std::size_t place, std::uint64_t number) {
    std::memcpy(file.data() + place, &number, sizeof number);
  }

  std::string prefix_;
  nlohmann::json description_;
  std::vector<float> numbers_;
};

}  // namespace kernelscape::predictor_tests
