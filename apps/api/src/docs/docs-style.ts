/** Over Swagger UI's own style: no bar of another's name, calmer type, room to read. */
export const DOCS_CSS = `
.swagger-ui .topbar { display: none }
body { background: #fbfbfa }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description {
  font-family: system-ui, -apple-system, 'Segoe UI', sans-serif; color: #1c2430 }
.swagger-ui .wrapper { max-width: 1100px }
.swagger-ui .info { margin: 32px 0 16px }
.swagger-ui .scheme-container { background: none; box-shadow: none; padding: 0 0 16px }
.swagger-ui .opblock { border-radius: 8px; box-shadow: none }
.swagger-ui .opblock .opblock-summary-method { border-radius: 6px; text-shadow: none }
.swagger-ui .info pre > code { display: block; padding: 12px 16px; border-radius: 8px }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { color: #1c2430; font-weight: 500 }
`;
