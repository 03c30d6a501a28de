#pragma once

#include <QString>

#include "ui/style/theme.h"

class QDoubleSpinBox;
class QLabel;
class QSpinBox;
class QWidget;

namespace kernelscape::widgets {

inline constexpr int max_count = 1'000'000'000;

/** Makes a field for a whole number. @param zero text shown for the minimum; empty: the number */
QSpinBox* make_count(QWidget* parent, const QString& name, int minimum, int value, const QString& zero = {});

/**
 * Makes a field for a quantity of at least 0 with its unit and three decimals. @param zero text shown for the
 * minimum; empty: the number
 */
QDoubleSpinBox* make_amount(QWidget* parent, const QString& name, double maximum, double value,
                            const QString& unit, const QString& zero = {});

/** Makes a small text between the fields, which wraps and can be copied. */
QLabel* make_note(QWidget* parent, QColor style::Colours::* colour = &style::Colours::text);

/**
 * Enables or disables a field; the tooltip of a disabled field says why. @param obstacle the reason; empty:
 * the field is enabled
 */
void allow_field(QWidget& field, const QString& obstacle);

}  // namespace kernelscape::widgets
