#pragma once

#include <compare>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/python_node.h"

namespace kernelscape {

/** What an expression is made of while it is computed: a value, a list or a tuple. */
struct PythonObject {
  PythonValue value = std::int64_t{0};
  std::shared_ptr<const std::vector<PythonObject>> items{};  ///< of lists and tuples; null: a value
  bool tuple = false;
};

/** An object, or why there is none: "division by zero". */
using PythonResult = std::expected<PythonObject, std::string>;

inline constexpr std::size_t most_python_items = 1U << 16;  ///< of a list, and letters of a text

/** + - * / // % ** */
PythonResult python_arithmetic(PythonOperator by, const PythonObject& left, const PythonObject& right);
/** == != < <= > >= in, not in */
std::expected<bool, std::string> python_compares(PythonOperator by, const PythonObject& left,
                                                 const PythonObject& right);
/** -x, or +x. */
PythonResult python_sign(bool minus, const PythonObject& of);
/** Empty, 0 and False are not true. */
bool python_truth(const PythonObject& object);
/** min max abs len int float bool */
PythonResult python_call(std::string_view function, std::span<const PythonObject> arguments);
/** `of[at]`, from the end where `at` is negative. */
PythonResult python_subscript(const PythonObject& of, const PythonObject& at);

/** What a part of an expression gives; errors as PythonExpression::evaluate has them. @param text of the
 * whole */
Result<PythonObject> compute_python(std::string_view text, const PythonExpression::Node& node,
                                    const PythonNames& names);

/** "a whole number", "a text", "a list": for messages. */
std::string python_type(const PythonObject& object);

/** As exact as numbers are; unordered where one is no number. */
std::partial_ordering compare_exactly(std::int64_t integer, double real);
/** The real nearest to a / b. @param b not 0 */
double divide_exactly(std::int64_t a, std::int64_t b);

}  // namespace kernelscape
