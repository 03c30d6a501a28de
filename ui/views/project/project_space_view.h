#pragma once

#include <QTreeWidget>

#include "core/space/search_space.h"
#include "ui/views/project/project_text.h"

namespace kernelscape::widgets {
class CodeView;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/**
 * Shows the space of a user's own kernel, read-only: parameters with their values, conditions, launch, flags
 * and arguments. The chosen parameter can be followed in a source.
 */
class ProjectSpaceView : public QTreeWidget {
  Q_OBJECT

 public:
  explicit ProjectSpaceView(QWidget* parent = nullptr);

  /** Replaces what is shown. @param facts further facts beside the parameters, in their order */
  void show_facts(const ProjectFacts& parameters, const std::vector<ProjectFacts>& facts);
  /** Shows the values of a trial beside all values. */
  void show_values(const space::SearchSpace& space, const space::Configuration& configuration);

  /** Returns the names of the parameters. */
  QStringList parameters() const;
  /** Returns the chosen parameter; empty: none. */
  QString chosen_parameter() const;
  /** Chooses these parameters without emitting a signal. */
  void choose(const QStringList& parameters);

  /**
   * Links the parameters to a source: lines that mention the chosen parameter are tinted, and choosing a line
   * chooses the parameters that it mentions. Both widgets must live as long as the window around them.
   */
  void link(widgets::CodeView& code);

 signals:
  /** Emitted when the user chose a parameter; empty: none is chosen any more. */
  void parameter_chosen(const QString& name);

 private:
  QTreeWidgetItem* parameters_ = nullptr;
  bool choosing_ = false;
};

/** Returns the lines of a text, from 0, that mention a name as a whole word. */
std::vector<int> lines_mentioning(const QString& text, const QString& name);

}  // namespace kernelscape::views
