import { HOUSE_RULES } from './house-rules.mjs';

/** The rules of house-rules.mjs as a plugin of the linter. */
export default {
  meta: { name: 'house' },
  rules: Object.fromEntries(
    Object.entries(HOUSE_RULES).map(([name, { selector, message, find = (node) => [node] }]) => [
      name,
      {
        meta: { type: 'problem', schema: [] },
        create: (context) => ({
          [[selector].flat().join(', ')]: (selected) => {
            for (const node of find(selected, context))
              context.report({
                loc: node.loc,
                message: typeof message === 'string' ? message : message(node),
              });
          },
        }),
      },
    ]),
  ),
};
