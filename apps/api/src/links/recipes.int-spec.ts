import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Json } from '../../../../test/support/client.js';
import { LinkSigner } from '../../../../test/support/links.js';

/** How the recipe of a language is run: the files beside it, and the command that reads the arguments from `input.json`. */
interface Runner {
  readonly command: readonly [string, ...string[]];
  /** Whether this command says that the language is there. */
  readonly probe: readonly [string, ...string[]];
  readonly recipe: string;
  readonly files: Readonly<Record<string, string>>;
}

const RUNNERS: Readonly<Record<string, Runner>> = {
  js: {
    command: [process.execPath, 'main.mjs'],
    probe: [process.execPath, '--version'],
    recipe: 'recipe.mjs',
    files: {
      'main.mjs': `
        import { readFileSync } from 'node:fs';
        import { signLink } from './recipe.mjs';
        const { base, key, secret, fields } = JSON.parse(readFileSync('input.json', 'utf8'));
        process.stdout.write(signLink(base, key, secret, fields));`,
    },
  },
  python: {
    command: ['python3', 'main.py'],
    probe: ['python3', '--version'],
    recipe: 'recipe.py',
    files: {
      'main.py': `
import json
from recipe import sign_link
given = json.load(open('input.json', encoding='utf-8'))
print(sign_link(given['base'], given['key'], given['secret'], given['fields']), end='')`,
    },
  },
  php: {
    command: ['php', 'main.php'],
    probe: ['php', '--version'],
    recipe: 'recipe.php',
    files: {
      'main.php': `<?php
require 'recipe.php';
$given = json_decode(file_get_contents('input.json'), true);
echo sign_link($given['base'], $given['key'], $given['secret'], $given['fields']);`,
    },
  },
  ruby: {
    command: ['ruby', 'main.rb'],
    probe: ['ruby', '--version'],
    recipe: 'recipe.rb',
    files: {
      'main.rb': `
require 'json'
require_relative 'recipe'
given = JSON.parse(File.read('input.json', encoding: 'UTF-8'))
print sign_link(given['base'], given['key'], given['secret'], given['fields'])`,
    },
  },
  go: {
    command: ['go', 'run', '.'],
    probe: ['go', 'version'],
    recipe: 'recipe.go',
    files: {
      'go.mod': 'module recipe\n\ngo 1.18\n',
      'main.go': `package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
)

func main() {
	text, _ := os.ReadFile("input.json")
	var given struct {
		Base, Key, Secret string
		Fields            map[string]interface{}
	}
	if err := json.Unmarshal(text, &given); err != nil {
		panic(err)
	}
	fields := url.Values{}
	for name, value := range given.Fields {
		if list, ok := value.([]interface{}); ok {
			for _, each := range list {
				fields.Add(name, each.(string))
			}
		} else {
			fields.Set(name, value.(string))
		}
	}
	fmt.Print(SignLink(given.Base, given.Key, given.Secret, fields))
}
`,
    },
  },
};

const RECIPES = new Map(
  [...readFileSync('docs/links.md', 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(
    ([, language = '', code = '']) => [language, code] as const,
  ),
);

const isInstalled = ({ probe: [file, ...args] }: Runner): boolean => {
  try {
    execFileSync(file, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Texts that encoders write differently. */
const OPTIONS = {
  url: `https://example.com/a b?c=d&e=ü#f`,
  reference: `ä 漢字 \u{1f4da} +%20&=#?/:;@!$'"()*,[]~\\|{}^\`<>`,
  format: 'webp',
  full_page: 'true',
  image_width: '400',
  hide_selectors: ['.a, .b', '[href="x&y"]'],
};

describe('the recipe of docs/links.md', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi();
  });

  afterAll(async () => {
    await api.close();
  });

  const run = async ({ command: [file, ...args], recipe, files }: Runner, input: Json & { code: string }) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'capture-recipe-'));
    try {
      const { code, ...given } = input;
      const all = { ...files, [recipe]: code, 'input.json': JSON.stringify(given) };
      await Promise.all(Object.entries(all).map(([name, text]) => writeFile(path.join(folder, name), text)));
      const env = { ...process.env, GOCACHE: path.join(folder, 'cache'), GOFLAGS: '-mod=mod' };
      return (await promisify(execFile)(file, args, { cwd: folder, env })).stdout;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  it('is there for every language', () => {
    expect(Object.keys(RUNNERS).filter((language) => !RECIPES.has(language))).toEqual([]);
  });

  for (const [language, runner] of Object.entries(RUNNERS)) {
    const test = isInstalled(runner) ? it : it.skip;
    test(`makes links that the service accepts: ${language}`, async () => {
      const owner = await api.client();
      const signer = await LinkSigner.create(api, owner);
      const expires = String(Math.floor(Date.now() / 1_000) + 60);
      const link = await run(runner, {
        code: RECIPES.get(language) ?? '',
        base: api.url,
        key: signer.keyId,
        secret: await signer.secret(),
        fields: { ...OPTIONS, expires },
      });
      // A browser sends the link as it is.
      expect(new URL(link).href).toBe(link);
      const answer = fetch(link);
      const claimed = await api.claim(owner);
      await claimed.succeed();
      expect((await answer).status).toBe(200);
      const { options } = await json(owner.get(`/v1/captures/${claimed.id}`));
      expect(options).toEqual({
        ...OPTIONS,
        full_page: true,
        image_width: 400,
        cache_ttl_s: 86_400,
      });
    });
  }
});
