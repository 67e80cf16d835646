// exported.mjs: what an exported page (--export FILE.html) opens with, as its title says: exported.mjs PAGE.html
import { openPage } from './page.mjs';

const page = await openPage(process.argv[2]);
const { status, exports, text, said } = await page.run(page.words, { terminal: true, environment: { DISPLAY: 'page' } });
console.log(status === null ? text(exports.page_title()) : said());
