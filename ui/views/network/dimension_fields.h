#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "ui/views/network/network_setup.h"

class QFormLayout;
class QSpinBox;

namespace kernelscape::views {

/** Fields for the lengths of the dimensions that a model leaves open; hidden without such dimensions. */
class DimensionFields : public QWidget {
  Q_OBJECT

 public:
  explicit DimensionFields(QWidget* parent);

  /** Adds fields for dimensions. Fields of dimensions that are given already stay, so that they can be
   * changed. */
  void add(const std::vector<OpenDimension>& open);
  /** Removes all fields. */
  void clear();
  /** Returns the dimensions whose lengths are given. */
  std::vector<measure::ModelDimension> given() const;

 signals:
  /** Emitted when a length was edited. */
  void changed();

 private:
  struct Field {
    std::string name;
    QSpinBox* length = nullptr;
  };

  QFormLayout* rows_;
  std::vector<Field> fields_;
};

}  // namespace kernelscape::views
