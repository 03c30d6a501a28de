#include "core/space/knob_json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/json_size.h"
#include "core/base/long_json.h"
#include "core/base/visible_text.h"

namespace kernelscape::space {
namespace {

std::unexpected<Error> malformed_knob(std::string_view what) {
  return fail(ErrorCode::InvalidArgument, fmt::format("a knob in this JSON {}", what));
}

Json rows_to_json(const Knob& knob) {
  Json rows = Json::array();
  for (std::uint32_t index = 0; index < knob.count(); ++index) {
    Json row = Json::array();
    for (const std::int64_t element : knob.row(index)) row.push_back(element);
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<Knob> keep_rows(const Knob& whole, const Json& rows) {
  if (!rows.is_array()) return malformed_knob("has \"kept\" values that are not a list");
  std::vector<std::uint32_t> kept;
  for (const Json& row : rows) {
    std::vector<std::int64_t> elements;
    for (const Json& element : row) {
      const auto number = integer_of(element);
      if (!number) return malformed_knob("has a value that is not a list of whole numbers");
      elements.push_back(*number);
    }
    kept.push_back(TRY(whole.find(elements)));
  }
  return whole.restricted(kept);
}

/**
 * Makes a value of the parser's events, as long as it is neither deep nor large. (The library's own callback
 * looks through a whole list at the end of each object in it: minutes for a megabyte.)
 */
class BoundedEvents {
 public:
  Json take() { return root_.release(); }

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(Json(value)); }
  bool number_integer(std::int64_t value) { return add(Json(value)); }
  bool number_unsigned(std::uint64_t value) { return add(Json(value)); }
  bool number_float(double value, const std::string&) { return add(Json(value)); }
  bool string(std::string& value) { return add(Json(std::move(value))); }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return start(Json::value_t::object); }
  bool end_object() { return finish(); }
  bool start_array(std::size_t) { return start(Json::value_t::array); }
  bool end_array() { return finish(); }
  bool key(std::string& name) {
    open_.back().key = std::move(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) { return false; }

 private:
  struct Open {
    base::LongJson<Json> value;
    std::string key = {};  ///< of the member that is being read
  };

  bool start(Json::value_t type) {
    constexpr std::size_t deepest = 1000;
    size_.add_container();
    if (open_.size() == deepest || size_.values > base::max_json_values) return false;
    open_.push_back({.value = Json(type)});
    return true;
  }

  bool finish() {
    base::LongJson<Json> value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }

  bool add(base::LongJson<Json> value) {
    size_.add_value();
    if (size_.values > base::max_json_values) return false;
    if (open_.empty())
      root_ = std::move(value);
    else if (Open& parent = open_.back(); parent.value->is_array())
      parent.value->push_back(value.release());
    else
      (*parent.value)[std::move(parent.key)] = value.release();  // of two members of one name the last counts
    return true;
  }

  std::vector<Open> open_;
  base::JsonSize size_;
  base::LongJson<Json> root_;
};

Result<Knob> factorization_from_json(const std::string& name, const Json& json) {
  const Json* product = member_of(json, "product");
  const Json* parts = member_of(json, "parts");
  const Json* bound = member_of(json, "last_at_most");
  const auto product_value = product ? integer_of(*product) : std::nullopt;
  const auto parts_value = parts ? integer_of(*parts) : std::nullopt;
  const auto bound_value = bound ? integer_of(*bound) : 0;
  if (!product_value || !parts_value || !bound_value)
    return malformed_knob("needs whole numbers: product, parts, last_at_most");
  if (*parts_value > std::numeric_limits<int>::max() || *parts_value < 1)
    return malformed_knob("has parts out of range");
  return Knob::factorization(name, *product_value, static_cast<int>(*parts_value), *bound_value);
}

Result<Knob> permutation_from_json(const std::string& name, const Json& json) {
  const Json* items = member_of(json, "items");
  if (!items || !items->is_array()) return malformed_knob("needs a list of items");
  std::vector<std::string> names;
  for (const Json& item : *items) {
    if (!item.is_string()) return malformed_knob("has an item that is not a text");
    names.push_back(item.get<std::string>());
  }
  return Knob::permutation(name, std::move(names));
}

Result<std::vector<KnobValue>> values_from_json(const Json& json) {
  const Json* list = member_of(json, "values");
  if (!list || !list->is_array()) return malformed_knob("needs a list of values");
  std::vector<KnobValue> values;
  for (const Json& item : *list) {
    std::optional<KnobValue> value = value_from_json(item);
    if (!value)
      return malformed_knob(fmt::format("has a value that is no number, truth value or text: {}",
                                        base::one_line(to_text(item))));
    values.push_back(*std::move(value));
  }
  return values;
}

}  // namespace

Json parse_json(std::string_view text) {
  BoundedEvents events;
  return Json::sax_parse(text, &events) ? events.take() : Json(Json::value_t::discarded);
}

std::string to_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::optional<std::int64_t> integer_of(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  return std::nullopt;
}

const Json* member_of(const Json& json, std::string_view key) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(std::string(key));
  return found == json.end() ? nullptr : &*found;
}

Json value_to_json(const KnobValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

std::optional<KnobValue> value_from_json(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_float())
    return std::isfinite(json.get<double>()) ? std::optional<KnobValue>(json.get<double>()) : std::nullopt;
  if (const auto integer = integer_of(json)) return *integer;
  return std::nullopt;
}

Json knob_to_json(const Knob& knob) {
  Json json{{"name", knob.name()}, {"kind", to_string(knob.kind())}};
  switch (knob.kind()) {
    case KnobKind::Factorization:
      json["product"] = knob.product();
      json["parts"] = knob.element_count();
      if (knob.last_at_most() != 0) json["last_at_most"] = knob.last_at_most();
      break;
    case KnobKind::Permutation:
      json["items"] = knob.items();
      break;
    case KnobKind::Ordinal:
    case KnobKind::Categorical: {
      Json values = Json::array();
      for (std::uint32_t index = 0; index < knob.count(); ++index)
        values.push_back(value_to_json(knob.value(index)));
      json["values"] = std::move(values);
      return json;
    }
  }
  if (knob.partial()) json["kept"] = rows_to_json(knob);
  return json;
}

Result<Knob> knob_from_json(const Json& json) {
  const Json* name = member_of(json, "name");
  const Json* kind = member_of(json, "kind");
  if (!name || !name->is_string() || !kind || !kind->is_string())
    return malformed_knob("has no name or no kind");
  const auto name_text = name->get<std::string>();
  const auto kind_text = kind->get<std::string>();
  if (kind_text == "ordinal" || kind_text == "categorical") {
    std::vector<KnobValue> values = TRY(values_from_json(json));
    return kind_text == "ordinal" ? Knob::ordinal(name_text, std::move(values))
                                  : Knob::categorical(name_text, std::move(values));
  }
  if (kind_text != "factorization" && kind_text != "permutation")
    return malformed_knob(fmt::format("has the unknown kind {}", base::quoted_line(kind_text)));
  Result<Knob> knob = kind_text == "factorization" ? factorization_from_json(name_text, json)
                                                   : permutation_from_json(name_text, json);
  const Json* kept = member_of(json, "kept");
  return knob && kept ? keep_rows(*knob, *kept) : knob;
}

}  // namespace kernelscape::space
