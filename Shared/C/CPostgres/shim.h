// libpq as Swift sees it. The include is enough, because none of the libpq calls in use is variadic.
#include <libpq-fe.h>
