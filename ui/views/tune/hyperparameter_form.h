#pragma once

#include <QWidget>
#include <map>
#include <string>
#include <vector>

#include "core/tuner/tuner.h"

class QFormLayout;
class QLabel;

namespace kernelscape {

/** The settings of a tuner, made from its declaration: one field each, with its default, range, unit and
 * source. */
class HyperparameterForm : public QWidget {
  Q_OBJECT

 public:
  explicit HyperparameterForm(QWidget* parent = nullptr);

  /** The fields of another tuner, with its defaults. */
  void set_tuner(const TunerDeclaration& tuner);

  /** What differs from the defaults, as text. */
  std::map<std::string, std::string> settings() const;
  /** Settings that are missing take their defaults; names that the tuner does not have are ignored. */
  void set_settings(const std::map<std::string, std::string>& settings);

  /** The first field that is wrong, and why; empty: all are right. */
  QString problem() const;

 signals:
  /** Another tuner, or a field was edited. */
  void changed();

 private:
  struct Field {
    HyperparameterDeclaration declaration;
    QWidget* editor = nullptr;
    QLabel* error = nullptr;
  };

  QWidget* make_editor(const HyperparameterDeclaration& declaration);
  static std::string text_of(const Field& field);
  static void set_text(Field& field, const std::string& text);
  QString error_of(const Field& field) const;
  void judge();

  const TunerDeclaration* tuner_ = nullptr;
  QFormLayout* layout_ = nullptr;
  std::vector<Field> fields_;
};

}  // namespace kernelscape
