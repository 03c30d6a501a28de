#pragma once

#include <utility>
#include <vector>

#include "ui/views/view.h"

namespace kernelscape {

/** How a view of the window is made. */
struct ViewRegistration {
  QString name;  ///< as View::name()
  QString icon_name;
  View* (*make)(ViewContext context);
};

/** In the order of the navigation bar and of Ctrl+1, Ctrl+2, ... */
const std::vector<ViewRegistration>& view_registrations();

/** Hands a request to a view that has a form for it. @return whether it has */
bool fill_request(View& view, const TuningRequest& request);

/** Has a view that has a form for a request run it on this target. @return whether it has one */
bool choose_target(View& view, const QString& target);

/** Hands a project of the user's own kernel to a view that has a form for it. @return whether it has */
bool open_project(View& view, const QString& path);

/** Hands a network to a view that has a form for it. @return whether it has */
bool open_network(View& view, const QString& name_or_file);

/** Networks' files that were opened before, the last one first, for a view that offers them. */
void offer_networks(View& view, const QStringList& files);
/** The same with those that were opened meanwhile; empty: the view offers none. */
QStringList offered_networks(const View& view);

/** A fleet that was looked at before, for a view that shows one. */
void offer_fleet(View& view, const QString& address, const QString& password_file);
/** The address of the one that is looked at now, and the file of its password; empty: the view shows none. */
std::pair<QString, QString> offered_fleet(const View& view);

/** Fills the form of a view that has one with what it was left with, without showing it. @param json of
 * kept_form(); what is none changes nothing */
void fill_kept_form(View& view, const QString& json);
/** What the form of a view was filled with; empty: it has none, or names no task. */
QString kept_form(const View& view);

/** The number of a kernel's threads that a form for new runs begins with. */
void prefer_threads(View& view, int threads);

}  // namespace kernelscape
