#pragma once

#include <QIcon>
#include <QStringList>

namespace kernelscape {

/**
 * The icon ":/icons/NAME.svg" in the colour of the theme's text; it is painted anew when the theme changes.
 * Where there is no such icon, an empty one.
 */
QIcon icon(const QString& name);

/** All names, sorted. */
QStringList icon_names();

/** The application's own icon, in its own colours. */
QIcon application_icon();

}  // namespace kernelscape
