// The lab's stream and its calls.

/**
 * Listens to the lab: `on.hello`, `on.lab`, `on.phones`, `on.phone` with what they brought, `on.link` with whether it is
 * connected. A stream that breaks is taken up again, and begins with everything.
 */
export class Stream {
  /** @param phone the one to watch; null for the first */
  constructor(on, phone) {
    this.on = on;
    this.phone = phone;
    this.id = null;
    this.open();
  }

  open() {
    const query = this.phone ? `?phone=${encodeURIComponent(this.phone)}` : '';
    const source = new EventSource(`api/stream${query}`);
    this.source = source;
    source.addEventListener('open', () => this.on.link(true));
    source.addEventListener('error', () => {
      this.id = null;
      this.on.link(false);
      // The browser itself tries again after a break, with the address it knows; not after an error of the server's.
      source.close();
      clearTimeout(this.retry);
      this.retry = setTimeout(() => this.open(), 1500);
    });
    source.addEventListener('hello', (event) => {
      this.id = JSON.parse(event.data).stream;
    });
    for (const name of ['lab', 'phones', 'phone']) {
      source.addEventListener(name, (event) => this.on[name](JSON.parse(event.data)));
    }
  }

  /** Asks for everything of another phone. */
  async watch(phone) {
    this.phone = phone;
    if (this.id !== null) await post(`api/streams/${this.id}`, { phone });
  }
}

/** What the lab refused, in its own words. */
export class Refusal extends Error {}

export async function post(path, body) {
  return answer(
    await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  );
}

export async function get(path) {
  return answer(await fetch(path));
}

async function answer(response) {
  if (response.status === 204) return null;
  const isJSON = (response.headers.get('Content-Type') ?? '').includes('json');
  const body = isJSON ? await response.json() : null;
  if (!response.ok) throw new Refusal(body?.detail ?? `The lab answers ${response.status}.`);
  return body;
}
