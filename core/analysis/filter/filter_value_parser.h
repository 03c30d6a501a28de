#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "core/analysis/filter/filter.h"
#include "core/analysis/filter/filter_cursor.h"
#include "core/analysis/filter/filter_tree.h"

namespace kernelscape::analysis {

/** A parsed part of a filter, or why it cannot be parsed. */
template <typename T>
using FilterParsed = std::expected<T, FilterError>;

/** Parses the names of columns in a filter, and the values with which columns are compared. */
class FilterValueParser {
 public:
  /** @param cursor, columns must outlive the parser */
  FilterValueParser(FilterCursor& cursor, const TrialColumns& columns) : cursor_(cursor), columns_(columns) {}

  /** Returns the column of a name or, if it is unique, of a title. */
  FilterParsed<std::size_t> find_column(const FilterToken& name) const;
  /** Returns the column with this name, in another case if that is unique; nullopt: there is none. */
  std::optional<std::size_t> column_named(const FilterToken& name) const;
  /** Returns the position of a column's label, in another case if that is unique; nullopt: there is none. */
  std::optional<double> find_label(std::size_t column, std::string_view label) const;
  /** Refuses to order the values of a column that have no order. @param written the operator or range */
  FilterParsed<void> check_order(std::size_t column, const FilterToken& written) const;

  /** Parses a value of a column, in the column's unit or as the position of a label. */
  FilterParsed<double> value(std::size_t column);
  /** Parses a value, or a range of values such as 1..2 ms. */
  FilterParsed<ValueInterval> interval(std::size_t column);

 private:
  /** A number whose unit is checked once its column is known. */
  struct Amount {
    double number = 0;
    FilterToken unit;  ///< End: no unit
    FilterToken written;
  };

  FilterParsed<double> label(std::size_t column);
  FilterParsed<std::string> tuple(std::size_t column);
  Amount amount(std::size_t column);
  FilterParsed<double> in_column_unit(const Amount& amount, std::size_t column) const;
  const Column& column(std::size_t position) const { return columns_.columns()[position]; }

  FilterCursor& cursor_;
  const TrialColumns& columns_;
};

}  // namespace kernelscape::analysis
