/*
 * What counts as a symbol, in tree-sitter's query language: `@name` is what it is called, the other capture its kind and
 * extent. Where two patterns fit one name, the one that stands first counts.
 */

/** What TypeScript and JavaScript share. */
const SCRIPT = `
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(class_body (method_definition name: (_) @name) @method)
(object (method_definition name: (_) @name) @method)
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(assignment_expression left: (identifier) @name
  right: [(arrow_function) (function_expression) (generator_function)]) @function
((assignment_expression left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @function
  (#not-eq? @name "exports"))
(assignment_expression left: (member_expression property: (property_identifier) @name) right: (class)) @class
(function_expression name: (_) @name) @function
(generator_function name: (_) @name) @function
(class name: (_) @name) @class
(pair key: [(property_identifier) (string)] @name value: [(arrow_function) (function_expression)]) @method
(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @const))
(program (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @const)))
(program (export_statement (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @variable)))
(program (export_statement (variable_declaration (variable_declarator name: (identifier) @name) @variable)))
`;

export const JAVASCRIPT = `${SCRIPT}
(class_body (field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method)
(class_body (field_definition property: (_) @name) @field)
`;

export const TYPESCRIPT = `${SCRIPT}
(function_signature name: (_) @name) @function
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(enum_body name: (_) @name @member)
(enum_body (enum_assignment name: (_) @name) @member)
(internal_module name: (_) @name) @module
(module name: (_) @name) @module
(class_body (method_signature name: (_) @name) @method)
(class_body (abstract_method_signature name: (_) @name) @method)
(class_body (public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method)
(class_body (public_field_definition name: (_) @name) @field)
(interface_body (method_signature name: (_) @name) @method)
(interface_body (property_signature name: (_) @name) @field)
(type_alias_declaration value: (object_type (method_signature name: (_) @name) @method))
(type_alias_declaration value: (object_type (property_signature name: (_) @name) @field))
(statement_block (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @const)))
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @const))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @variable))
`;

export const PYTHON = `
(class_definition name: (_) @name) @class
(function_definition name: (_) @name) @function
(module (expression_statement (assignment left: (identifier) @name) @variable))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @field)))
(module (_ (block (expression_statement (assignment left: (identifier) @name) @variable))))
(module (_ (_ (block (expression_statement (assignment left: (identifier) @name) @variable)))))
(type_alias_statement left: (type (identifier) @name)) @type
`;

export const GO = `
(function_declaration name: (_) @name) @function
(method_declaration name: (_) @name) @method
(type_spec name: (_) @name type: (struct_type)) @struct
(type_spec name: (_) @name type: (interface_type)) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(source_file (const_declaration (const_spec (identifier) @name @const)))
(source_file (var_declaration (var_spec (identifier) @name @variable)))
(source_file (var_declaration (var_spec_list (var_spec (identifier) @name @variable))))
(field_declaration name: (_) @name @field)
(method_elem name: (_) @name) @method
`;

export const RUST = `
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(enum_variant name: (_) @name) @member
(trait_item name: (_) @name) @trait
(impl_item type: (_) @name) @impl
(mod_item name: (_) @name) @module
(type_item name: (_) @name) @type
(associated_type name: (_) @name) @type
(const_item name: (_) @name) @const
(static_item name: (_) @name) @variable
(macro_definition name: (_) @name) @macro
(field_declaration name: (_) @name) @field
`;

export const JAVA = `
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(enum_constant name: (_) @name) @member
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(compact_constructor_declaration name: (_) @name) @method
(annotation_type_element_declaration name: (_) @name) @method
(field_declaration declarator: (variable_declarator name: (_) @name) @field)
(constant_declaration declarator: (variable_declarator name: (_) @name) @const)
`;

/** A declarator behind up to two stars, or a reference. */
const declared = (inner: string, capture: string, outer: string): string => `
(${outer} declarator: ${inner}) ${capture}
(${outer} declarator: (pointer_declarator declarator: ${inner})) ${capture}
(${outer} declarator: (pointer_declarator declarator: (pointer_declarator declarator: ${inner}))) ${capture}
`;
const FUNCTION_NAME = `(function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier)
  (destructor_name) (operator_name) (template_function)] @name)`;
const POINTED = "(parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name @field))";
const REFERENCE_NAME = `(reference_declarator ${FUNCTION_NAME})`;

export const CPP = `
${declared(FUNCTION_NAME, "@function", "function_definition")}
(function_definition declarator: ${REFERENCE_NAME}) @function
${declared(FUNCTION_NAME, "@prototype", "declaration")}
(declaration declarator: ${REFERENCE_NAME}) @prototype
${declared(FUNCTION_NAME, "@method", "field_declaration")}
(field_declaration declarator: ${REFERENCE_NAME}) @method
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(enumerator name: (_) @name) @member
(namespace_definition name: (_) @name) @module
(type_definition declarator: (type_identifier) @name) @type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator
  (pointer_declarator declarator: (type_identifier) @name)))) @type
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
(preproc_def name: (_) @name) @macro
(preproc_function_def name: (_) @name) @macro
(field_declaration declarator: (field_identifier) @name @field)
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name @field))
(field_declaration declarator: (array_declarator declarator: (field_identifier) @name @field))
(field_declaration declarator: (reference_declarator (field_identifier) @name @field))
(field_declaration declarator: (function_declarator declarator: ${POINTED}))
(translation_unit (declaration declarator: (identifier) @name @variable))
(translation_unit (declaration declarator: (array_declarator declarator: (identifier) @name @variable)))
(translation_unit (declaration declarator: (pointer_declarator declarator: (identifier) @name @variable)))
(translation_unit (declaration declarator: (pointer_declarator
  declarator: (array_declarator declarator: (identifier) @name @variable))))
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name @variable)))
(declaration_list (declaration declarator: (init_declarator declarator: (identifier) @name @variable)))
(translation_unit (declaration declarator: (init_declarator
  declarator: (array_declarator declarator: (identifier) @name @variable))))
(translation_unit (declaration declarator: (init_declarator
  declarator: (pointer_declarator declarator: (identifier) @name @variable))))
`;

export const C_SHARP = `
(namespace_declaration name: (_) @name) @module
(file_scoped_namespace_declaration name: (_) @name) @module
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(enum_member_declaration name: (_) @name) @member
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(local_function_statement name: (_) @name) @function
(property_declaration name: (_) @name) @field
(event_declaration name: (_) @name) @field
(field_declaration (variable_declaration (variable_declarator name: (_) @name) @field))
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name) @field))
`;

export const RUBY = `
(class name: (_) @name) @class
(module name: (_) @name) @module
(method name: (_) @name) @function
(singleton_method name: (_) @name) @method
(assignment left: (constant) @name) @const
(call method: (identifier) @_accessor arguments: (argument_list (simple_symbol) @name @field)
  (#any-of? @_accessor "attr_accessor" "attr_reader" "attr_writer"))
`;

export const PHP = `
(namespace_definition name: (_) @name) @module
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(enum_case name: (_) @name) @member
(function_definition name: (_) @name) @function
(method_declaration name: (_) @name) @method
(property_declaration (property_element name: (_) @name) @field)
(const_declaration (const_element . (name) @name) @const)
`;

export const BASH = `
(function_definition name: (_) @name) @function
(program (variable_assignment name: (variable_name) @name) @variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @variable))
`;
