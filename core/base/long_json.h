#pragma once

#include <nlohmann/json.hpp>
#include <utility>

namespace kernelscape::base {

/**
 * Clears lists and objects from the inside, without allocating memory. Recurses as deep as `value` is nested.
 */
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
 * A JSON value whose lists or objects may be long, nested no deeper than recursion allows. nlohmann's
 * destructor moves the content to a new list, and this allocation ends the program if no memory is left; this
 * class destroys the value without allocating.
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
  /** Returns the value, and leaves null here. */
  Value release() { return std::exchange(value_, nullptr); }

 private:
  Value value_;
};

}  // namespace kernelscape::base
