// The lab's stream and calls.

/**
 * Listens to the lab: calls `on.hello`, `on.lab`, `on.phones` and `on.phone` with the content of their events, and
 * `on.link` with whether it is connected. A stream that breaks is opened again, and begins with the whole state.
 */
export class Stream {
  /** @param phone the phone to watch; null for the first */
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
      // The browser tries again after a break, with the old address, but not after an error of the server.
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

  /** Selects another phone, whose whole state follows. */
  async watch(phone) {
    this.phone = phone;
    if (this.id !== null) await post(`api/streams/${this.id}`, { phone });
  }
}

/** A refusal of the lab, in its own words. */
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
