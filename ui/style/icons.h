#pragma once

#include <QIcon>
#include <QStringList>

namespace kernelscape::style {

/**
 * Returns the icon ":/icons/NAME.svg" in the theme's text colour, repainted when the theme changes. Returns
 * an empty icon if there is no such file.
 */
QIcon icon(const QString& name);

/** Returns the names of all icons, sorted. */
QStringList icon_names();

/** Returns the application's icon, in its own colours. */
QIcon application_icon();

}  // namespace kernelscape::style
