import { installPlugin } from './organisation.mjs';
import { terminalPage } from './terminal.mjs';

const wide = { width: 1200, height: 760 };
const phone = { width: 390, height: 760 };

/**
 * Pictures of the documentation, in the order in which they are taken: later ones see what earlier ones have done. `member` is the
 * user name of the person who looks, `show` leads the page to what the picture shows.
 */
export const shots = [
  {
    name: 'first-steps',
    member: 'mary',
    size: { width: 1200, height: 560 },
    /** Taken before the organisation is there. */
    isNew: true,
    async show(page) {
      await page.goto('/');
      await page.getByText('First steps').first().waitFor();
    },
  },
  {
    name: 'chat',
    member: 'mary',
    size: { width: 1200, height: 800 },
    async show(page, { ids }) {
      await page.goto(`/chat/with/${ids.ada}`);
      await write(page, 'Which late orders do we have, and what can we do about them?');
      await page.getByText('another yoghurt').waitFor();
      await write(page, 'Please look at this every morning at eight, before the shop opens.');
      await page.getByRole('region', { name: /Ada wants to use/ }).waitFor();
    },
  },
  {
    name: 'home',
    member: 'li',
    size: { width: 1200, height: 560 },
    async show(page, { ids }) {
      await page.goto(`/chat/with/${ids.ada}`);
      await write(page, 'Open a room for the harvest evening, with Ben and Grace.');
      await page.getByRole('region', { name: /Ada wants to use/ }).waitFor();
      await page.goto('/');
      await page.getByText('Approvals that wait for you').waitFor();
      await page.getByText('Deliveries').first().waitFor();
    },
  },
  {
    name: 'room',
    member: 'mary',
    size: wide,
    async show(page, { deliveries }) {
      await page.goto(`/chat/${deliveries}`);
      await write(page, '@ada what is late today? @otto can we fetch the yoghurt for the school ourselves?');
      await page.getByText('has yoghurt in stock').waitFor();
      await page.getByText('takes until 8:45').waitFor();
    },
  },
  {
    name: 'phone',
    member: 'ben',
    size: phone,
    theme: 'dark',
    async show(page, { deliveries }) {
      await page.goto(`/chat/${deliveries}`);
      await page.getByText('has yoghurt in stock').waitFor();
    },
  },
  {
    name: 'search',
    member: 'mary',
    size: { width: 1200, height: 560 },
    async show(page) {
      await page.goto('/chat');
      await page.getByRole('searchbox', { name: 'Search messages' }).fill('yoghurt');
      await page.getByText('messages found').first().waitFor();
    },
  },
  {
    name: 'palette',
    member: 'mary',
    size: { width: 1200, height: 560 },
    async show(page) {
      await page.goto('/people');
      await page.getByText('Grace Lindqvist').first().waitFor();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('de');
      await page
        .getByRole('option', { name: /Deliveries/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'model',
    member: 'mary',
    size: wide,
    async show(page, { ids, model }) {
      const shown = 'http://models.example.org:11434/v1';
      // Only the picture shows another address: the test itself asks the server that runs.
      await page.route('**/api/agents/models/test', (route) =>
        route.continue({ postData: route.request().postData().replace(shown, model) }),
      );
      await page.goto(`/employees/${ids.ada}/edit`);
      await page.getByRole('button', { name: /^The platform’s/ }).click();
      await page.getByRole('option', { name: 'One of its own' }).click();
      await page.getByLabel('Address').fill(shown);
      await page.getByLabel('Name of the model').fill('qwen3:32b');
      await page.getByRole('button', { name: 'Test the connection' }).click();
      await page.getByText('The server lists 3 models').waitFor();
      await page.getByRole('heading', { name: 'Model', exact: true }).evaluate((heading) => heading.scrollIntoView());
    },
  },
  {
    name: 'schedule',
    member: 'mary',
    size: { width: 1200, height: 860 },
    async show(page) {
      await page.goto('/schedules/new');
      await page.getByLabel('Name', { exact: true }).fill('Plan of the vans');
      await page.getByRole('combobox', { name: 'Action' }).fill('chat.send');
      await page.getByRole('option', { name: /chat\.send/ }).click();
      await page.getByLabel(/^content/i).fill('Which van takes which deliveries today?');
    },
  },
  {
    name: 'review',
    member: 'mary',
    size: wide,
    async show(page) {
      await page.goto('/marketplace/reviews');
      await page.getByText('Inbound webhooks').click();
      await page.getByRole('button', { name: 'Approve' }).waitFor();
      await page.getByText('What it may do').waitFor();
    },
  },
  {
    name: 'panel-web',
    member: 'mary',
    size: { width: 1200, height: 420 },
    async show(page, { as, url, market }) {
      await installPlugin(as, { url, session_id: market });
      await page.goto('/');
      await page.getByRole('link', { name: 'Hooks' }).click();
      await page.getByText('Cold store').waitFor();
      // The plugin posts deliveries in the background, and the page reads the figures again every 5 s.
      await page.waitForTimeout(11_000);
    },
  },
  {
    name: 'panel-terminal',
    async show(page, { run, host }) {
      const written = await run(['tui', 'hooks']);
      // The address of a server instead of a folder of this machine, and fewer empty lines.
      const address = (found) => `http://${host}`.padEnd(found.length);
      const shown = written.replace(/local socket of \S+/, address).replaceAll(/\n(\s*\n){4,}/g, '\n\n\n\n');
      await page.setContent(terminalPage(shown, { columns: 110 }));
      return page.locator('pre');
    },
  },
  {
    name: 'health',
    member: 'mary',
    size: { width: 1200, height: 640 },
    async show(page) {
      await page.goto('/platform');
      await page.getByText('Event loop delay').waitFor();
    },
  },
  {
    name: 'audit',
    member: 'mary',
    size: { width: 1200, height: 560 },
    async show(page) {
      await page.goto('/platform/audit');
      await page.getByText('marketplace.install').first().waitFor();
    },
  },
];

async function write(page, text) {
  const field = page.locator('.chat-main .chat-composer').getByRole('textbox');
  await field.fill(text);
  await field.press('Enter');
}
