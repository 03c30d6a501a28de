#pragma once

#include <QFormLayout>
#include <QLabel>
#include <QString>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "ui/widgets/form_fields.h"

namespace kernelscape::views {

/** Returns the message of an error with its hint, as a form shows it. */
QString error_text(const Error& error);

/**
 * Shows the errors of a form's check, each below the field that it belongs to. `Check` has the errors as
 * members, and a function `problem` that returns the first error that prevents the start, or null.
 */
template <typename Check>
class ErrorNotes {
 public:
  /** Adds a hidden note below the last row. @param error the error that the note shows */
  void add_row(QFormLayout& rows, QWidget* parent, std::optional<Error> Check::* error) {
    QLabel* label = widgets::make_note(parent, &style::Colours::warning);
    label->hide();
    rows.addRow(label);
    notes_.push_back({label, error});
  }

  /**
   * Shows the first error of a check below its field, and hides the other notes.
   * @param check null: the form is being checked, and no error is shown
   * @return the text of the note if it can be seen in `form`; empty: there is no such note, or its section is
   * folded
   */
  QString show(const Check* check, const QWidget& form) {
    const Error* first = check != nullptr ? check->problem() : nullptr;
    QString seen;
    for (const Note& note : notes_) {
      const bool shown =
          first != nullptr && (check->*note.error).has_value() && first == &*(check->*note.error);
      note.label->setText(shown ? error_text(*first) : QString());
      note.label->setVisible(shown);
      if (shown && note.label->isVisibleTo(&form)) seen = note.label->text();
    }
    return seen;
  }

 private:
  struct Note {
    QLabel* label = nullptr;
    std::optional<Error> Check::* error = nullptr;
  };

  std::vector<Note> notes_;
};

}  // namespace kernelscape::views
