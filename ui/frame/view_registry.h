#pragma once

#include <utility>
#include <vector>

#include "ui/views/view.h"

namespace kernelscape::frame {

/** Describes a view of the window and how it is created. */
struct ViewRegistration {
  QString name;  ///< equal to View::name()
  QString icon_name;
  views::View* (*make)(views::ViewContext context);
};

/** Returns the registered views, in the order of the navigation bar and of Ctrl+1, Ctrl+2, ... */
const std::vector<ViewRegistration>& view_registrations();

/** Fills the form of a view with a request. @return whether the view has a form for it */
bool fill_request(views::View& view, const session::TuningRequest& request);

/** Sets the target in the form of a view. @return whether the view has such a form */
bool choose_target(views::View& view, const QString& target);

/** Opens a project of the user's own kernel in a view. @return whether the view has a form for it */
bool open_project(views::View& view, const QString& path);

/** Opens a network in a view. @return whether the view has a form for it */
bool open_network(views::View& view, const QString& name_or_file);

/** Sets the recently opened network files, most recent first, of a view that offers them. */
void offer_networks(views::View& view, const QStringList& files);
/**
 * Returns the recently opened network files, including those opened since offer_networks(); empty if the view
 * offers none.
 */
QStringList offered_networks(const views::View& view);

/** Sets the last shown fleet in a view that shows fleets. */
void offer_fleet(views::View& view, const QString& address, const QString& password_file);
/**
 * Returns the Redis address of the fleet that is shown now, and its password file; empty if the view shows
 * none.
 */
std::pair<QString, QString> offered_fleet(const views::View& view);

/**
 * Restores the contents of a view's form for new runs, without showing the form.
 * @param json returned by kept_form(); an invalid text changes nothing
 */
void fill_kept_form(views::View& view, const QString& json);
/**
 * Returns the contents of a view's form for new runs as JSON; empty if the view has no form, or the form
 * names no task.
 */
QString kept_form(const views::View& view);

/** Sets whether a view's chart of all trials has a speed axis from zero. */
void show_whole_axis(views::View& view, bool whole);
/** Returns true if a view's chart of all trials has a speed axis from zero. */
bool shows_whole_axis(const views::View& view);

/** Sets the default number of kernel threads in a view's form for new runs. */
void prefer_threads(views::View& view, int threads);

}  // namespace kernelscape::frame
