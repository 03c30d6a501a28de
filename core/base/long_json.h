#pragma once

#include <nlohmann/json.hpp>
#include <utility>

namespace kernelscape {

/** Empties lists and objects from within, without taking memory. As deep as `value` is nested. */
template <typename Value>
void empty_json(Value& value) noexcept {
  if (auto* list = value.template get_ptr<typename Value::array_t*>()) {
    for (Value& one : *list) empty_json(one);
    list->clear();
  } else if (auto* object = value.template get_ptr<typename Value::object_t*>()) {
    for (auto& [name, one] : *object) empty_json(one);
    object->clear();
  }
}

/**
 * A value with lists or objects that may be long, nested as deeply as one may walk. Alone it would take
 * memory in order to go: nlohmann's destructor moves what is in it to a list of its own, which ends the
 * program where there is none left.
 */
template <typename Value>
class LongJson {
 public:
  LongJson() = default;
  LongJson(Value value) : value_(std::move(value)) {}
  LongJson(LongJson&& other) noexcept : value_(std::move(other.value_)) {}
  LongJson& operator=(LongJson&& other) noexcept {
    empty_json(value_);
    value_ = std::move(other.value_);
    return *this;
  }
  ~LongJson() { empty_json(value_); }

  Value& operator*() { return value_; }
  const Value& operator*() const { return value_; }
  Value* operator->() { return &value_; }
  const Value* operator->() const { return &value_; }
  /** The value alone, which is null here from then on. */
  Value release() { return std::exchange(value_, nullptr); }

 private:
  Value value_;
};

}  // namespace kernelscape
