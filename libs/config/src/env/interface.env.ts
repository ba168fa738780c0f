import { Flag, Text } from '@app/kernel';

/** What the API serves besides /v1. */
export class InterfaceEnv {
  @Flag('Serve the OpenAPI reference at /docs.')
  DOCS = true;

  @Flag('Serve the console at /console.')
  CONSOLE = true;

  @Flag('Serve `/v1/admin`, by which keys with the scope `admin` manage accounts and keys.')
  ADMIN_API = true;

  @Flag('Serve MCP, the tools for language models, at /mcp.')
  MCP = true;

  @Text('Comma-separated host names that /mcp accepts besides that of PUBLIC_URL.', { min: 0, max: 2_000 })
  MCP_HOSTS = '';
}
