#pragma once

#include <QString>

class QDoubleSpinBox;
class QSpinBox;
class QWidget;

namespace kernelscape {

inline constexpr int most_count = 1'000'000'000;

/** A whole number of a form. @param zero what stands there for the minimum; empty: the number */
QSpinBox* make_count(QWidget* parent, const QString& name, int minimum, int value, const QString& zero = {});

/** A quantity of at least 0 with its unit, three decimals. @param zero what stands there for the minimum */
QDoubleSpinBox* make_amount(QWidget* parent, const QString& name, double maximum, double value,
                            const QString& unit, const QString& zero = {});

}  // namespace kernelscape
