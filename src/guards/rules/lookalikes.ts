/** Well-known packages, and real ones that are one letter away from one of them. */
const npm = new Set(
  'react preact react-dom express lodash axios chalk commander debug moment webpack typescript eslint prettier jest vitest mocha next nuxt vue svelte angular rollup vite esbuild babel-core dotenv uuid rimraf glob mkdirp yargs inquirer async request cheerio puppeteer playwright socket.io mongoose sequelize prisma graphql apollo-server redux mobx zustand immer rxjs jquery bootstrap tailwindcss postcss sass less nodemon pm2 cross-env concurrently husky lint-staged semver minimist underscore ramda date-fns dayjs body-parser cors helmet jsonwebtoken bcrypt passport multer morgan winston pino fastify koa hapi nestjs zod yup ajv joi formik storybook cypress electron sharp jimp ws node-fetch got superagent supertest nock sinon chai ora execa fs-extra colors color kleur picocolors handlebars mustache marked highlight.js prismjs three d3 chart.js leaflet lerna turbo nx tsx ts-node tslib fastly expresso request-promise cross-fetch react-router react-redux redux-thunk styled-components emotion framer-motion swiper knex pg mysql mysql2 sqlite3 redis ioredis aws-sdk firebase stripe nodemailer luxon nanoid classnames clsx'.split(
    ' ',
  ),
);
const python = new Set(
  'requests numpy pandas scipy matplotlib django flask fastapi sqlalchemy pytest setuptools wheel boto3 botocore urllib3 certifi click jinja2 pyyaml pillow cryptography tensorflow torch torchvision keras scikit-learn seaborn plotly beautifulsoup4 selenium scrapy celery redis psycopg2 psycopg pymongo pydantic httpx aiohttp uvicorn gunicorn poetry black ruff mypy flake8 pylint isort tox nox virtualenv pipenv ipython jupyter notebook jupyterlab openai anthropic langchain transformers datasets tokenizers accelerate tqdm rich typer attrs markdown docutils sphinx mkdocs paramiko fabric ansible pyjwt passlib bcrypt python-dateutil pytz arrow lxml html5lib openpyxl xlrd networkx sympy nltk spacy gensim opencv-python pygame kivy streamlit gradio dash bokeh altair polars dask pyspark numba cython pybind11 colorama termcolor tabulate loguru sentry-sdk alembic marshmallow graphene starlette websockets protobuf grpcio google-cloud-storage azure-storage-blob awscli'.split(
    ' ',
  ),
);

const shortest = 5;

/** Returns the well-known package that a name is taken for; undefined if it is none, or known itself. */
export function lookalikeOf(text: string, kind: 'npm' | 'python'): string | undefined {
  const name = text
    .toLowerCase()
    .replace(/^(@?[^@=<>~![\s]+).*$/, '$1')
    .replaceAll('_', '-');
  const known = kind === 'npm' ? npm : python;
  if (name.length < shortest || name.startsWith('@') || name.includes('/') || known.has(name))
    return undefined;
  return [...known].find((one) => one.length >= shortest && isOneAway(name, one));
}

/** Whether one letter is added, left out, changed or swapped with the next. */
function isOneAway(name: string, other: string): boolean {
  if (Math.abs(name.length - other.length) > 1) return false;
  let start = 0;
  while (start < name.length && name[start] === other[start]) start++;
  const rests = [name.slice(start), other.slice(start)] as const;
  if (name.length > other.length) return rests[0].slice(1) === rests[1];
  if (name.length < other.length) return rests[0] === rests[1].slice(1);
  const isChanged = rests[0].slice(1) === rests[1].slice(1);
  const isSwapped =
    rests[0][0] === rests[1][1] &&
    rests[0][1] === rests[1][0] &&
    rests[0].slice(2) === rests[1].slice(2);
  return isChanged || isSwapped;
}
