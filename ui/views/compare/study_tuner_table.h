#pragma once

#include <QGroupBox>
#include <vector>

#include "core/study/study.h"

class QTableWidget;

namespace kernelscape::views {

/** The tuners of a new study: a row for each, with its settings, and a check mark if it takes part. */
class StudyTunerTable : public QGroupBox {
  Q_OBJECT

 public:
  /** Lists all tuners. The default tuner and random search are checked. */
  explicit StudyTunerTable(QWidget* parent = nullptr);

  /**
   * Returns the checked tuners, or an error if a text can't be parsed.
   * @param loaded a study whose arms keep their order, their names and properties without a column
   */
  Result<std::vector<study::Arm>> arms(const study::Definition& loaded) const;
  /** Checks the arms of a study, and adds rows for those that have none. Emits nothing. */
  void set_arms(const study::Definition& study);

 signals:
  /** Emitted when the user edited a row. */
  void changed();

 private:
  /** Columns of the table. */
  enum Column { tuner_column, settings_column, measuring_column, batch_column, column_count };
  /** The texts of a row. */
  struct Row {
    QString tuner;
    QString settings = {};
    QString measuring = {};
    QString batch = {};
  };

  void make_table();
  void add_row(const Row& row, bool checked);
  void duplicate_row();
  static Row row_of(const study::Definition& study, const study::Arm& arm);
  int unchecked_row(const QString& tuner) const;
  Result<study::Arm> arm_of_row(int row, const study::Definition& loaded) const;

  QTableWidget* table_;
};

}  // namespace kernelscape::views
