// libpq as Swift sees it. Nothing here but the include: libpq has no variadic calls that we use.
#include <libpq-fe.h>
