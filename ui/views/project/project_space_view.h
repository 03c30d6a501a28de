#pragma once

#include <QTreeWidget>

#include "core/space/search_space.h"
#include "ui/views/project/project_text.h"

namespace kernelscape {

class CodeView;

/**
 * The space of a user's own kernel to read: parameters with their values, conditions, launch, flags and
 * arguments. The parameter that is chosen can be followed in a source.
 */
class ProjectSpaceView : public QTreeWidget {
  Q_OBJECT

 public:
  explicit ProjectSpaceView(QWidget* parent = nullptr);

  /** In place of what was shown. @param facts beside the parameters, in their order */
  void show_facts(const ProjectFacts& parameters, const std::vector<ProjectFacts>& facts);
  /** The values of a trial beside all that there are. */
  void show_values(const SearchSpace& space, const Configuration& configuration);

  /** The parameters' names. */
  QStringList parameters() const;
  /** The one that is chosen; empty: none. */
  QString chosen_parameter() const;
  /** Chooses those, without a signal. */
  void choose(const QStringList& parameters);

  /** Lines of a source that mention the chosen parameter are tinted, and a chosen line chooses the parameters
   * that it mentions. Both live as long as the window around them. */
  void link(CodeView& code);

 signals:
  /** By the user; empty: none any more. */
  void parameter_chosen(const QString& name);

 private:
  QTreeWidgetItem* parameters_ = nullptr;
  bool choosing_ = false;
};

/** Lines of a text that mention a name as a word of its own, from 0. */
std::vector<int> lines_mentioning(const QString& text, const QString& name);

}  // namespace kernelscape
