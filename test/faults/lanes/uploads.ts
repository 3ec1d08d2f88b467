import { FormData } from 'undici';
import { zipOf } from '../../kernel/platform/bundles/zip.js';
import type { Lane, World } from './lane.js';

const filler_bytes = 100_000;

/** Skills that are published, each with other bytes. */
export class Uploads implements Lane {
  readonly name = 'uploads';
  readonly #world: World;
  #written = 0;
  #checked = 0;

  constructor(world: World) {
    this.#world = world;
  }

  get acknowledged(): number {
    return this.#written;
  }

  async write(): Promise<void> {
    const { asker } = this.#world;
    const n = this.#written + 1;
    // An earlier try of ours was it.
    const accept = ({ status, bytes }: { status: number; bytes: Buffer }) => status === 409 && bytes.includes('version_exists');
    await asker.ask({ method: 'POST', path: '/api/marketplace/publish', body: this.#form(n), accept });
    // Whoever has too many waiting publishes no more.
    const approve = `/api/admin/marketplace/reviews/${this.#id(n)}/1.0.0/approve`;
    await asker.ask({ method: 'POST', path: approve, accept: ({ status }) => status === 409 });
    this.#written = n;
  }

  async faults(): Promise<string[]> {
    const faults: string[] = [];
    for (let n = this.#checked + 1; n <= this.#written; n += 1) {
      const path = `/api/marketplace/${this.#id(n)}/versions/1.0.0/download`;
      const { status, bytes } = await this.#world.asker.ask({ method: 'GET', path, accept: () => true });
      if (status !== 200 || !bytes.equals(this.#zip(n))) faults.push(`upload ${n} is lost: ${status}`);
    }
    this.#checked = this.#written;
    return faults;
  }

  #form(n: number): FormData {
    const form = new FormData();
    form.append('type', 'skill');
    form.append('bundle', new Blob([new Uint8Array(this.#zip(n))]), `${this.#id(n)}.zip`);
    return form;
  }

  #zip(n: number): Buffer {
    const id = this.#id(n);
    const manifest = { id, name: id, type: 'skill', version: '1.0.0', description: 'A skill.', author: 'Faults', license: 'MIT' };
    const skill = `---\nname: ${id.replaceAll('.', '-')}\ndescription: A skill.\n---\nUpload ${n}.\n`;
    return zipOf([
      { name: 'manifest.json', content: JSON.stringify(manifest) },
      { name: 'SKILL.md', content: skill },
      { name: 'filler.bin', content: Buffer.alloc(filler_bytes, `${n} `), method: 0 },
    ]);
  }

  #id(n: number): string {
    return `faults.${this.#world.run}-${n}`;
  }
}
