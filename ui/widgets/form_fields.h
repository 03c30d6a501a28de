#pragma once

#include <QString>

#include "ui/style/theme.h"

class QDoubleSpinBox;
class QLabel;
class QSpinBox;
class QWidget;

namespace kernelscape {

inline constexpr int most_count = 1'000'000'000;

/** A whole number of a form. @param zero what stands there for the minimum; empty: the number */
QSpinBox* make_count(QWidget* parent, const QString& name, int minimum, int value, const QString& zero = {});

/** A quantity of at least 0 with its unit, three decimals. @param zero what stands there for the minimum */
QDoubleSpinBox* make_amount(QWidget* parent, const QString& name, double maximum, double value,
                            const QString& unit, const QString& zero = {});

/** A small text between the fields, which wraps and can be copied. */
QLabel* make_note(QWidget* parent, QColor Colours::* colour = &Colours::text);

/** A field that does not apply cannot be edited, and its tooltip says why. @param obstacle empty: it applies
 */
void allow_field(QWidget& field, const QString& obstacle);

}  // namespace kernelscape
